// Scans along an axis. The index along the axis is cut into runs of bits, from its lowest one: each run is bits of the
// register's number, of the lane's, or of the warp's, and the highest one counts the atoms. A run of registers is
// scanned in the thread, one of lanes by shuffles, one of warps through shared memory; the sum of each run's block is
// an element of the next run's scan, which gives back what stands before the block:
//
//     index along 2048 elements     registers 0-1 | lanes 2-6 | warps 7-9 | atoms 10
//
// Elements beyond the tile's shape are the last ones, so that no element sees them.
#include <algorithm>
#include <stdexcept>

#include "ir/core/internal.h"
#include "ir/law/reduction.h"
#include "ir/ops/reduction.h"
#include "ir/passes/target/gpu/tiles/code.h"

namespace tsr::ir {

// A run of bits of the index along the axis.
struct ThreadTiles::ScanRun {
    enum class Of : uint8_t { registers, lanes, warps, atoms };
    Of of = Of::registers;
    int first = 0;  // its lowest bit in the number of the register, the lane or the warp
    int count = 0;  // bits
    int below = 0;  // bits of the index below the run
    [[nodiscard]] Bits mask() const { return ((Bits{1} << count) - 1) << first; }
};

struct ThreadTiles::Scan {
    ReduceOp what;
    DType type;
    const Layout& lies;
    size_t along;
    std::vector<ScanRun> runs;  // the lowest bits first

    // The first register of the block that the register's block belongs to, of a run of registers or atoms.
    [[nodiscard]] int64_t first_register(const ScanRun& run, int64_t reg) const {
        if (run.of == ScanRun::Of::registers) return reg & ~static_cast<int64_t>(run.mask());
        int64_t apart = lies.atom_size();
        for (size_t i = along + 1; i < lies.rank(); ++i) apart *= lies.repeat[i];
        return reg - reg / apart % lies.repeat[along] * apart;
    }
    // The lanes' bits in runs below one.
    [[nodiscard]] Bits lanes_below(size_t run) const {
        Bits out = 0;
        for (size_t i = 0; i < run; ++i) out |= runs[i].of == ScanRun::Of::lanes ? runs[i].mask() : 0;
        return out;
    }
};

namespace {

// Where a bit of the index along an axis comes from: each is one bit of one number.
struct IndexBit {
    Counted counted = Counted::reg;
    int number = 0;
};

IndexBit index_bit(const LinearMap& atom, Counted axis, int bit) {
    for (const Counted counted : {Counted::reg, Counted::lane, Counted::warp}) {
        const std::vector<Bits> columns = atom.columns(counted);
        for (size_t i = 0; i < columns.size(); ++i) {
            if (atom.part(columns[i], axis) == int64_t{1} << bit) return {counted, static_cast<int>(i)};
        }
    }
    internal_error("a scan along an axis whose index mixes bits of several numbers");
}

}  // namespace

std::vector<ThreadTiles::ScanRun> ThreadTiles::scan_runs(const Layout& lies, size_t along) {
    using Of = ScanRun::Of;
    std::vector<ScanRun> runs;
    const int bits = lies.atom.out_bits(axis(along));
    for (int bit = 0; bit < bits; ++bit) {
        const IndexBit from = index_bit(lies.atom, axis(along), bit);
        const Of of = from.counted == Counted::reg    ? Of::registers
                      : from.counted == Counted::lane ? Of::lanes
                                                      : Of::warps;
        const bool follows =
            !runs.empty() && runs.back().of == of && runs.back().first + runs.back().count == from.number;
        if (follows)
            ++runs.back().count;
        else
            runs.push_back({of, from.number, 1, bit});
    }
    if (lies.repeat[along] > 1) runs.push_back({Of::atoms, 0, 0, bits});
    return runs;
}

void ThreadTiles::scan(OpId id) {
    const AlongOp op(code_.tile, id);
    const ValueId result = code_.tile.op(id).results[0];
    const Layout& lies = layout(result);
    const auto along = static_cast<size_t>(op.axis());
    const Scan scan{op.what(), elem(op.value()), lies, along, scan_runs(lies, along)};
    std::vector<int64_t> registers;
    for (int64_t r = 0; r < lies.size(); ++r) registers.push_back(r);
    code_.parts[result] = scanned(scan, 0, registers, in(op.value(), lies), false);
}

// Of blocks of elements, each named by its first register, and their sums: the sum of all along the axis up to each
// block, with it or (`before`) without it. An invalid value: nothing stands before any of the thread's blocks. The sums
// need to be right in the last lane of the runs below only.
ThreadTiles::Registers ThreadTiles::scanned(const Scan& scan, size_t run, const std::vector<int64_t>& blocks,
                                            const Registers& sums, bool before) {
    if (run == scan.runs.size()) return before ? Registers(sums.size()) : sums;
    switch (scan.runs[run].of) {
        case ScanRun::Of::lanes:
            return scanned_lanes(scan, run, blocks, sums, before);
        case ScanRun::Of::warps:
            return scanned_warps(scan, run, blocks, sums, before);
        case ScanRun::Of::registers:
        case ScanRun::Of::atoms:
            break;
    }
    return scanned_registers(scan, run, blocks, sums, before);
}

// Both; an invalid one is nothing.
ValueId ThreadTiles::joined(ReduceOp what, ValueId before, ValueId value) {
    if (!before.valid() || !value.valid()) return before.valid() ? before : value;
    return combined(what, before, value);
}

ThreadTiles::Registers ThreadTiles::scanned_registers(const Scan& scan, size_t run, const std::vector<int64_t>& blocks,
                                                      const Registers& sums, bool before) {
    std::vector<int64_t> outer;  // ascending, as the blocks are
    Registers totals;
    std::vector<size_t> outer_of;
    Registers out;
    for (size_t i = 0; i < blocks.size(); ++i) {
        const int64_t first = scan.first_register(scan.runs[run], blocks[i]);
        const auto found = std::ranges::find(outer, first);
        const auto at = static_cast<size_t>(found - outer.begin());
        if (found == outer.end()) {
            outer.push_back(first);
            totals.push_back({});
        }
        const ValueId all = joined(scan.what, totals[at], sums[i]);
        out.push_back(before ? totals[at] : all);
        totals[at] = all;
        outer_of.push_back(at);
    }
    const Registers earlier = scanned(scan, run + 1, outer, totals, true);
    for (size_t i = 0; i < out.size(); ++i) out[i] = joined(scan.what, earlier[outer_of[i]], out[i]);
    return out;
}

// By doubling distances (Hillis and Steele 1986).
ThreadTiles::Registers ThreadTiles::scanned_lanes(const Scan& scan, size_t run, const std::vector<int64_t>& blocks,
                                                  Registers sums, bool before) {
    const ScanRun& lanes = scan.runs[run];
    auto from_below = [&](ValueId value, int distance) {
        return emit_.op(OpKind::warp_shuffle, {value, emit_.integer(int64_t{1} << distance, DType::i32)},
                        {{Attr::shuffle, ir::code(ShuffleBy::up)}});
    };
    for (int bit = lanes.first; bit < lanes.first + lanes.count; ++bit) {
        const ValueId none = without_bits(lanes.mask() >> bit << bit, 0);
        for (ValueId& sum : sums) sum = emit_.select(none, sum, combined(scan.what, from_below(sum, bit), sum));
    }
    Registers totals = sums;
    if (run + 1 < scan.runs.size() && scan.runs[run + 1].of != ScanRun::Of::warps) {
        std::vector<Bits> others;
        for (int bit = 0; bit < 5; ++bit) others.push_back(Bits{1} << bit & ~lanes.mask());
        const ValueId last = emit_.cast(plus(thread_part(others), lanes.mask()), DType::i32);
        for (ValueId& total : totals) {
            total = emit_.op(OpKind::warp_shuffle, {total, last}, {{Attr::shuffle, ir::code(ShuffleBy::index)}});
        }
    }
    const Registers earlier = scanned(scan, run + 1, blocks, totals, true);
    for (size_t i = 0; i < sums.size(); ++i) {
        if (before) {
            const ValueId first = without_bits(lanes.mask(), 0);
            sums[i] = emit_.select(first, identity(scan.what, scan.type), from_below(sums[i], lanes.first));
        }
        sums[i] = joined(scan.what, earlier[i], sums[i]);
    }
    return sums;
}

// The last lane of each warp writes what the warp has; all read what the warps have, in their order.
ThreadTiles::Registers ThreadTiles::scanned_warps(const Scan& scan, size_t run, const std::vector<int64_t>& blocks,
                                                  const Registers& sums, bool before) {
    const ScanRun& warps = scan.runs[run];
    const int64_t parts = int64_t{1} << warps.count;
    const Layout others = scan.lies.without_axis(scan.along);
    int64_t elements = scan.lies.extent(scan.along) >> warps.below;
    for (size_t i = 0; i < others.rank(); ++i) elements *= others.extent(i);
    std::vector<ValueId> places;
    for (const int64_t block : blocks) places.push_back(first_part(scan, warps, others, block));
    std::vector<Bits> columns(5, 0);
    for (int bit = 0; bit < warps.first + warps.count; ++bit) {
        columns.push_back(bit < warps.first ? 0 : Bits{1} << (bit - warps.first));
    }
    const ValueId mine = thread_part(columns).value;
    before_write();
    const ValueId place = memory(scan.type, elements);
    const Bits lanes = scan.lanes_below(run);
    when(last_writers(scan.lies.atom, lanes), [&] {
        for (size_t i = 0; i < blocks.size(); ++i) {
            emit_.store(emit_.pointer_add(place, emit_.add(places[i], mine)), sums[i]);
        }
    });
    barrier();
    const int64_t width = bits(scan.type) < 8 ? 1 : std::min<int64_t>(parts, 128 / bits(scan.type));
    std::vector<ValueId> later;
    for (int64_t part = 1; part < parts; ++part) later.push_back(emit_.compare(OpKind::ge, mine, emit_.integer(part)));
    Registers out, totals;
    for (const ValueId first : places) {
        ValueId all, earlier = identity(scan.what, scan.type);
        for (int64_t part = 0; part < parts; part += width) {
            const ValueId from = emit_.pointer_add(place, emit_.add(first, emit_.integer(part)));
            const Registers loaded = load_vector(from, width);
            for (int64_t i = 0; i < width; ++i) {
                const auto next = static_cast<size_t>(part + i);
                all = joined(scan.what, all, loaded[static_cast<size_t>(i)]);
                if (next < later.size()) earlier = emit_.select(later[next], all, earlier);
            }
        }
        out.push_back(earlier);
        totals.push_back(all);
    }
    others_read_ = true;
    const Registers outer = scanned(scan, run + 1, blocks, totals, true);
    for (size_t i = 0; i < out.size(); ++i) {
        if (!before) out[i] = combined(scan.what, out[i], sums[i]);
        out[i] = joined(scan.what, outer[i], out[i]);
    }
    return out;
}

// Where the sum of a block's first warp is in shared memory: rows of the other axes, in each the blocks that warps have
// in their order.
ValueId ThreadTiles::first_part(const Scan& scan, const ScanRun& warps, const Layout& others, int64_t reg) {
    const Layout& lies = scan.lies;
    std::vector<Bits> columns = thread_columns(lies.atom);
    for (Bits& column : columns) {
        column = static_cast<Bits>(lies.atom.part(column, axis(scan.along))) >> (warps.below + warps.count)
                                                                                    << warps.count;
    }
    const int64_t at = lies.at(reg)[scan.along], begin = lies.atom_begin(reg / lies.atom_size())[scan.along];
    const ValueId block = emit_.add(plus(thread_part(columns), static_cast<Bits>(at - begin) >> warps.below),
                                    emit_.integer(begin >> warps.below));
    const ValueId row = row_offset(others, lies.registers_without(scan.along)[static_cast<size_t>(reg)]);
    return emit_.add(emit_.mul(row, emit_.integer(lies.extent(scan.along) >> warps.below)), block);
}

}  // namespace tsr::ir
