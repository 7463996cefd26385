// Stores that pass by the caches: of tensors so large that no cache would hold what is written until somebody reads it.
// A store through the caches reads its line first, which costs memory a third of what a pass over two tensors does.
#include <algorithm>

#include "ir/ops/register.h"
#include "ir/passes/target/cpu/tiles/code.h"

namespace tsr::ir {

std::vector<OpId> TileCode::stores_past_caches(const Nest& nest) const {
    std::vector<OpId> found;
    for (const Phase& phase : nest.phases) {
        for (const Root& root : phase.roots) {
            const bool stores = root.kind == Root::Kind::store && !root.per_row;
            if (stores && may_pass_caches(root.op, phase.columns)) found.push_back(root.op);
        }
    }
    return found;
}

// Whole vectors of rows of some lines, of a tensor that the kernel does nothing else with, but for what waits.
bool TileCode::may_pass_caches(OpId store, int64_t columns) const {
    constexpr int64_t kWorthwhile = 256;  // bytes of a row
    const TileViewOp view(s_.tile, store);
    const Type& memory = s_.tile.type(view.memory());
    const int64_t size = bits(memory.elem);
    const bool rows = memory.kind == TypeKind::tensor && memory.elem != DType::boolean && size >= 8 &&
                      view.axes().back() + 1 == static_cast<int64_t>(memory.rank()) && columns % width_ == 0 &&
                      columns * size / 8 >= kWorthwhile && width_ * size % 128 == 0;
    return rows && !s_.tile.op(store).attrs.has(Attr::waits) &&
           std::ranges::all_of(uses_.of(view.memory()), [&](OpId user) {
               const Op& op = s_.tile.op(user);
               return op.kind == OpKind::store_tile || op.attrs.has(Attr::waits);
           });
}

// The runtime knows what is large, and whether lines are written whole.
ValueId TileCode::pass_caches(const std::vector<OpId>& stores) {
    ValueId all = emit_.boolean(true);
    for (OpId id : stores) {
        const TileViewOp view(s_.tile, id);
        if (has_waiting(view.memory())) {
            all = emit_.binary(OpKind::bit_and, all, waiting(view).elsewhere);
            continue;
        }
        const Memory& memory = s_.memories.at(view.memory());
        const int64_t bytes = bits(s_.tile.type(view.memory()).elem) / 8;
        std::vector<ValueId> starts;
        ValueId elements = emit_.integer(1);
        for (size_t axis = 0; axis < memory.dims.size(); ++axis) {
            starts.push_back(emit_.cast(s_.scalars.at(view.starts()[axis]), DType::index));
            elements = emit_.mul(elements, memory.dims[axis]);
        }
        const ValueId row =
            memory.dims.size() > 1 ? emit_.mul(memory.dims.back(), emit_.integer(bytes)) : emit_.integer(0);
        const ValueId answer = emit_.runtime(
            "tsr_passes_caches", {s_.address(memory, starts), row, emit_.mul(elements, emit_.integer(bytes))},
            Type::scalar(DType::i32));
        all = emit_.binary(OpKind::bit_and, all, emit_.compare(OpKind::ne, answer, emit_.integer(0, DType::i32)));
    }
    return all;
}

}  // namespace tsr::ir
