// Views of tensors whose elements share bytes.
#include "ir/ops/register.h"
#include "ir/passes/target/cpu/tiles/code.h"

namespace tsr::ir {

ValueId TileCode::load_packed(OpId id, const Coordinates& at) {
    const TileViewOp view(s_.tile, id);
    const Memory& memory = s_.memories.at(view.memory());
    std::vector<ValueId> indices;  // of the element, or of the first of the vector
    std::optional<size_t> column;
    for (size_t axis = 0; axis < memory.dims.size(); ++axis) {
        ValueId index = emit_.cast(s_.scalars.at(view.starts()[axis]), DType::index);
        for (size_t i = 0; i < at.size(); ++i) {
            if (view.axes()[i] != static_cast<int64_t>(axis)) continue;
            index = emit_.add(index, at[i].at);
            if (at[i].column) column = axis;
        }
        indices.push_back(index);
    }
    ValueId mask = clipped_ ? inside(id, at) : ValueId{};
    if (!column) return s_.load_packed(memory, indices, mask);
    mask = mask_and(mask, tail_);
    if (*column + 1 == memory.dims.size()) {
        const ValueId first = emit_.splat(indices.back(), width_);
        const ValueId elements = emit_.binary(OpKind::add, first, emit_.iota(width_, DType::index));
        indices.back() = emit_.integer(0);
        return s_.gather_packed(memory, s_.linear(memory, indices), elements, width_, mask);
    }
    // One element of each row.
    const PackedPlace place = packed_place(emit_, *memory.packed, indices.back(), 0);
    ValueId stride = emit_.integer(1);
    for (size_t axis = *column + 1; axis < memory.dims.size(); ++axis) stride = emit_.mul(stride, memory.dims[axis]);
    const auto bytes = [&](ValueId byte) {
        indices.back() = byte;
        const ValueId first = emit_.splat(s_.linear(memory, indices), width_);
        return s_.gather_bytes(memory, emit_.binary(OpKind::add, first, offsets(stride)), width_, mask);
    };
    const ValueId low = bytes(place.byte);
    const ValueId high = place.next == place.byte ? low : bytes(place.next);
    return unpacked(emit_, *memory.packed, low, high, emit_.splat(place.shift, width_), width_);
}

}  // namespace tsr::ir
