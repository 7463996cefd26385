// How a thread makes its elements of what each operation on register tiles gives: one row for each.
#include <map>

#include "ir/core/internal.h"
#include "ir/core/total.h"
#include "ir/ops/register.h"
#include "ir/passes/target/cpu/tiles/uses.h"
#include "ir/passes/target/gpu/tiles/code.h"

namespace tsr::ir {

struct ThreadTiles::Makers {
    using Make = void (*)(ThreadTiles&, OpId);
    static Make of(OpKind kind);

    static void load(ThreadTiles& code, OpId id) { code.load(id); }
    static void store(ThreadTiles& code, OpId id) {
        code.behind_loops(id, [&] { code.store(id); });
    }
    static void atomic(ThreadTiles& code, OpId id) {
        code.behind_loops(id, [&] { code.atomic(id); });
    }
    static void expand(ThreadTiles& code, OpId id) { code.expand(code.code_.tile.op(id)); }
    static void iota(ThreadTiles& code, OpId id) {
        const Op& op = code.code_.tile.op(id);
        code.code_.parts[op.results[0]] = code.made_anywhere(op, code.layout(op.results[0]));
    }
    static void transpose(ThreadTiles& code, OpId id) { code.transpose(code.code_.tile.op(id)); }
    // Through shared memory, the atoms of one place on the other axes at a time: an element is written where it stands
    // and read where its mirror image does.
    static void flip(ThreadTiles& code, OpId id) {
        const AlongOp op(code.code_.tile, id);
        const auto along = static_cast<size_t>(op.axis());
        const Layout& lies = code.layout(op.result());
        const Registers values = code.in(op.value(), lies);
        Emit& emit = code.emit_;
        std::map<Coordinates, std::vector<int64_t>> slabs;
        for (int64_t r = 0; r < lies.size(); ++r) {
            Coordinates begin = lies.atom_begin(r / lies.atom_size());
            begin[along] = 0;
            slabs[begin].push_back(r);
        }
        int64_t size = lies.extent(along);
        for (size_t i = 0; i < lies.rank(); ++i) size *= i == along ? 1 : lies.atom_extent(i);
        const auto offset = [&](const Coordinates& begin, int64_t r, bool mirrored) {
            ValueId sum = emit.integer(0);
            int64_t stride = 1;
            for (size_t i = lies.rank(); i-- > 0;) {
                ValueId at = code.coordinate(lies, i, r);
                if (i != along) at = emit.binary(OpKind::sub, at, emit.integer(begin[i]));
                if (i == along && mirrored) at = emit.binary(OpKind::sub, emit.integer(lies.shape[i] - 1), at);
                sum = emit.add(sum, emit.mul(at, emit.integer(stride)));
                stride *= i == along ? lies.extent(i) : lies.atom_extent(i);
            }
            return sum;
        };
        Registers out(values.size(), values.front());  // what is beyond the tile's shape is anything
        for (const auto& [begin, registers] : slabs) {
            code.before_write();
            const ValueId place = code.memory(code.elem(op.value()), size);
            for (int64_t r : registers) {
                emit.store(emit.pointer_add(place, offset(begin, r, false)), values[static_cast<size_t>(r)]);
            }
            code.barrier();
            for (int64_t r : registers) {
                const Beyond beyond = code.beyond_end(lies, along, r);
                if (beyond.always) continue;
                ValueId at = offset(begin, r, true);
                if (beyond.inside.valid()) at = emit.select(beyond.inside, at, emit.integer(0));
                out[static_cast<size_t>(r)] = emit.load(emit.pointer_add(place, at), 0);
            }
            code.others_read_ = true;
        }
        code.code_.parts[op.result()] = out;
    }
    static void reduce(ThreadTiles& code, OpId id) { code.reduce(id); }
    static void scan(ThreadTiles& code, OpId id) { code.scan(id); }
    static void product(ThreadTiles& code, OpId id) { code.product(id); }
    // Passes for CPUs alone make it.
    static void of_cpus(ThreadTiles&, OpId) { internal_error("an operation of CPUs on register tiles of a GPU"); }
};

ThreadTiles::Makers::Make ThreadTiles::Makers::of(OpKind kind) {
    static constexpr Row<Make> kThreadTileMakers[]{
        {OpKind::load_tile, load}, {OpKind::store_tile, store},  {OpKind::atomic_tile, atomic},
        {OpKind::expand, expand},  {OpKind::tile_iota, iota},    {OpKind::transpose, transpose},
        {OpKind::flip, flip},      {OpKind::reduce, reduce},     {OpKind::scan, scan},
        {OpKind::mma, product},    {OpKind::pack_rows, of_cpus}, {OpKind::mma_words, of_cpus},
    };
    static constexpr Total<kThreadTileMakers, kRegisterFamily> kMakers;
    return kMakers[kind].answer;
}

void ThreadTiles::operation(OpId id) {
    make(id);
    for (ValueId result : code_.tile.op(id).results) {
        if (is_tile(code_.tile, result)) keep_for_products(result);
    }
}

void ThreadTiles::make(OpId id) {
    const Op& op = code_.tile.op(id);
    emit_.place = op.place;
    if (is_element(op.kind)) return element(op);
    if (axis_rule(op.kind) == AxisRule::each) return wait_for_sums(op);
    Makers::of(op.kind)(*this, id);
}

}  // namespace tsr::ir
