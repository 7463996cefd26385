// Sums along an axis: in each thread, between the lanes of a warp, between warps, in this order.
#include <algorithm>

#include "ir/law/reduction.h"
#include "ir/ops/reduction.h"
#include "ir/passes/target/cpu/tiles/uses.h"
#include "ir/passes/target/gpu/tiles/code.h"

namespace tsr::ir {

namespace {

// The bits of a number that count along an axis.
Bits bits_along(const LinearMap& atom, Counted counted, size_t number) {
    Bits out = 0;
    const std::vector<Bits> columns = atom.columns(counted);
    for (size_t i = 0; i < columns.size(); ++i) {
        if (atom.part(columns[i], axis(number)) != 0) out |= Bits{1} << i;
    }
    return out;
}

// The bits that do nothing.
Bits copies(const LinearMap& atom, Counted counted) {
    Bits out = 0;
    const std::vector<Bits> columns = atom.columns(counted);
    for (size_t i = 0; i < columns.size(); ++i) {
        if (columns[i] == 0) out |= Bits{1} << i;
    }
    return out;
}

// Of a tree of sums: what has been combined of the leaves so far, the larger branches first.
struct Branch {
    int64_t leaves;
    ValueId value;
};
using Branches = std::vector<Branch>;

}  // namespace

ValueId ThreadTiles::combined(ReduceOp what, ValueId a, ValueId b) { return emit_.binary(combining(what), a, b); }

void ThreadTiles::reduce(OpId id) {
    const AlongOp op(code_.tile, id);
    const Layout& from = layout(op.value());
    const auto along = static_cast<size_t>(op.axis());
    const DType type = elem(op.value());
    const Layout to = from.without_axis(along);
    const std::vector<int64_t> result = from.registers_without(along);
    const Registers& values = code_.parts.at(op.value());
    // In the thread: neighbours first, as a tree, each branch as soon as its leaves are there: few registers wait.
    std::vector<Branches> terms(static_cast<size_t>(to.size()));
    for (int64_t r = 0; r < from.size(); ++r) {
        const Beyond beyond = beyond_end(from, along, r);
        if (beyond.always) continue;
        ValueId value = values[static_cast<size_t>(r)];
        if (beyond.inside.valid()) value = emit_.select(beyond.inside, value, identity(op.what(), type));
        Branches& all = terms[static_cast<size_t>(result[static_cast<size_t>(r)])];
        int64_t leaves = 1;
        while (!all.empty() && all.back().leaves == leaves) {
            value = combined(op.what(), all.back().value, value);
            leaves *= 2;
            all.pop_back();
        }
        all.push_back({leaves, value});
    }
    Registers sums;
    for (Branches& all : terms) {
        if (all.empty()) all.push_back({0, identity(op.what(), type)});
        ValueId sum = all.back().value;
        for (all.pop_back(); !all.empty(); all.pop_back()) sum = combined(op.what(), all.back().value, sum);
        sums.push_back(sum);
    }
    const Bits lanes = bits_along(from.atom, Counted::lane, along);
    for (int bit = 0; bit < 5; ++bit) {
        if ((lanes >> bit & 1) == 0) continue;
        for (ValueId& sum : sums) {
            const ValueId other = emit_.op(OpKind::warp_shuffle, {sum, emit_.integer(int64_t{1} << bit, DType::i32)},
                                           {{Attr::shuffle, ir::code(ShuffleBy::bit_xor)}});
            sum = combined(op.what(), sum, other);
        }
    }
    sums = over_warps(op.what(), sums, from, to, along, type);
    const ValueId out = code_.tile.op(id).results[0];
    if (is_tile(code_.tile, out)) {
        code_.parts[out] = convert(sums, to, layout(out), type);
    } else {
        code_.scalars[out] = sums[0];
    }
}

ValueId ThreadTiles::identity(ReduceOp what, DType type) { return emit_.constant(reduction_start(what, type), type); }

// Each warp writes what it has; all read all warps' parts, in the order of the warps.
ThreadTiles::Registers ThreadTiles::over_warps(ReduceOp what, Registers values, const Layout& from, const Layout& to,
                                               size_t along, DType type) {
    const Bits warps = bits_along(from.atom, Counted::warp, along);
    if (warps == 0) return values;
    int64_t size = 1;
    for (size_t i = 0; i < to.rank(); ++i) size *= to.extent(i);
    std::vector<Bits> part_columns(5, 0);
    Bits next = 1;
    for (int bit = 0; bit < from.atom.in_bits(Counted::warp); ++bit) {
        part_columns.push_back((warps >> bit & 1) != 0 ? next : 0);
        if ((warps >> bit & 1) != 0) next <<= 1;
    }
    const auto parts = static_cast<int64_t>(next);
    before_write();
    const ValueId place = memory(type, parts * size);
    const Bits lanes = bits_along(from.atom, Counted::lane, along) | copies(from.atom, Counted::lane);
    std::vector<ValueId> offsets;
    for (int64_t r = 0; r < to.size(); ++r) offsets.push_back(row_offset(to, r));
    const ValueId mine = emit_.mul(thread_part(part_columns).value, emit_.integer(size));
    when(without_bits(lanes, copies(from.atom, Counted::warp)), [&] {
        for (size_t r = 0; r < values.size(); ++r) {
            emit_.store(emit_.pointer_add(place, emit_.add(mine, offsets[r])), values[r]);
        }
    });
    barrier();
    for (size_t r = 0; r < values.size(); ++r) {
        for (int64_t part = 0; part < parts; ++part) {
            const ValueId there = emit_.add(offsets[r], emit_.integer(part * size));
            const ValueId value = emit_.load(emit_.pointer_add(place, there), 0);
            values[r] = part == 0 ? value : combined(what, values[r], value);
        }
    }
    others_read_ = true;
    return values;
}

// Of a register's element in memory of the layout's whole extents, the last axis innermost.
ValueId ThreadTiles::row_offset(const Layout& layout, int64_t reg) {
    ValueId sum = emit_.integer(0);
    const Coordinates at = layout.at(reg), begin = layout.atom_begin(reg / layout.atom_size());
    int64_t stride = 1;
    for (size_t i = layout.rank(); i-- > 0;) {
        const ValueId in_atom = plus(thread_part(layout.atom, axis(i)), static_cast<Bits>(at[i] - begin[i]));
        sum = emit_.add(sum, emit_.mul(emit_.add(in_atom, emit_.integer(begin[i])), emit_.integer(stride)));
        stride *= layout.extent(i);
    }
    return sum;
}

}  // namespace tsr::ir
