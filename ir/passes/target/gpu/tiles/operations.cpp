// How a thread makes its elements of what each operation on register tiles gives: one row for each.
#include "ir/core/internal.h"
#include "ir/core/total.h"
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
    static void reduce(ThreadTiles& code, OpId id) { code.reduce(id); }
    static void scan(ThreadTiles& code, OpId id) { code.scan(id); }
    static void product(ThreadTiles& code, OpId id) { code.product(id); }
    // Passes for CPUs alone make it.
    static void of_cpus(ThreadTiles&, OpId) { internal_error("an operation of CPUs on register tiles of a GPU"); }
};

ThreadTiles::Makers::Make ThreadTiles::Makers::of(OpKind kind) {
    static constexpr Row<Make> kThreadTileMakers[]{
        {OpKind::load_tile, load},    {OpKind::store_tile, store},  {OpKind::atomic_tile, atomic},
        {OpKind::expand, expand},     {OpKind::tile_iota, iota},    {OpKind::transpose, transpose},
        {OpKind::reduce, reduce},     {OpKind::scan, scan},         {OpKind::mma, product},
        {OpKind::pack_rows, of_cpus}, {OpKind::mma_words, of_cpus},
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
