// Views of tensors whose elements share bytes.
#include "ir/ops/register.h"
#include "ir/passes/target/cpu/tiles/code.h"

namespace tsr::ir {

namespace {

// Every `apart`-th element of a vector of bytes, from `first` on. LLVM makes one shuffle of it.
ValueId every(Emit& emit, ValueId bytes, int64_t first, int64_t apart, int64_t width) {
    ValueId result = emit.splat(emit.integer(0, DType::u8), width / apart);
    const Type type = Type::vector(DType::u8, static_cast<uint32_t>(width / apart));
    for (int64_t i = 0; i < width / apart; ++i) {
        const ValueId one = emit.op(OpKind::extract, {bytes}, {{Attr::axis, first + i * apart}});
        result = emit.op(OpKind::insert, {result, one}, {{Attr::axis, i}});
    }
    return result;
}

}  // namespace

// The element at the coordinates, or the first of the vector.
std::vector<ValueId> TileCode::element_indices(const TileViewOp& view, const Coordinates& at) {
    std::vector<ValueId> indices;
    for (size_t axis = 0; axis < view.starts().size(); ++axis) {
        ValueId index = emit_.cast(s_.scalars.at(view.starts()[axis]), DType::index);
        for (size_t i = 0; i < at.size(); ++i) {
            if (view.axes()[i] == static_cast<int64_t>(axis)) index = emit_.add(index, at[i].at);
        }
        indices.push_back(index);
    }
    return indices;
}

// Whole bytes: what a row's last pack has no elements for is 0. The view begins at a byte of its own.
void TileCode::store_packed(OpId id, ValueId value, const Coordinates& at) {
    const TileViewOp view(s_.tile, id);
    const Memory& memory = s_.memories.at(view.memory());
    const DType type = *memory.packed;
    const int64_t pack = pack_size(type);
    const int64_t bytes = pack * bits(type) / 8;
    std::vector<ValueId> indices = element_indices(view, at);
    ValueId mask = clipped_ ? inside(id, at) : ValueId{};
    if (!has_column(at)) {
        std::vector<ValueId> elements(static_cast<size_t>(pack), emit_.integer(0, DType::u8));
        elements[0] = value;
        s_.store_packed(memory, indices, elements, mask);
        return;
    }
    mask = mask_and(mask, tail_);
    const Type whole = Type::vector(DType::u8, static_cast<uint32_t>(width_));
    ValueId codes = emit_.op(OpKind::bitcast, {value}, {{Attr::type, DType::u8}});
    const ValueId zeros = emit_.splat(emit_.integer(0, DType::u8), width_);
    ValueId first;  // the first element of each pack is there
    if (mask.valid()) {
        codes = emit_.select(mask, codes, zeros);
        const ValueId ones = emit_.splat(emit_.integer(1, DType::u8), width_);
        const ValueId there = every(emit_, emit_.select(mask, ones, zeros), 0, pack, width_);
        first = emit_.compare(OpKind::ne, there, emit_.splat(emit_.integer(0, DType::u8), width_ / pack));
    }
    std::vector<ValueId> elements;
    for (int64_t i = 0; i < pack; ++i) elements.push_back(every(emit_, codes, i, pack, width_));
    const ValueId begin = packed_place(emit_, type, indices.back(), 0).byte;
    for (int64_t i = 0; i < bytes; ++i) {
        indices.back() = emit_.add(begin, emit_.integer(i));
        const ValueId stored = packed_byte(emit_, type, elements, i, width_ / pack);
        const ValueId pointer = s_.address(memory, indices);
        if (bytes == 1) {
            emit_.store(pointer, stored, first);
            continue;
        }
        const ValueId lanes = emit_.iota(width_ / pack, DType::index);
        const ValueId apart = emit_.splat(emit_.integer(bytes), width_ / pack);
        std::vector<ValueId> operands{pointer, stored, emit_.binary(OpKind::mul, lanes, apart)};
        Attrs attrs;
        if (first.valid()) {
            operands.push_back(first);
            attrs.set(Attr::masked, int64_t{1});
        }
        emit_.statement(OpKind::scatter, operands, attrs);
    }
}

ValueId TileCode::load_packed(OpId id, const Coordinates& at) {
    const TileViewOp view(s_.tile, id);
    const Memory& memory = s_.memories.at(view.memory());
    std::vector<ValueId> indices = element_indices(view, at);
    std::optional<size_t> column;
    for (size_t i = 0; i < at.size(); ++i) {
        if (at[i].column) column = static_cast<size_t>(view.axes()[i]);
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
        return emit_.gather(memory.pointer, emit_.binary(OpKind::add, first, offsets(stride)), mask);
    };
    const ValueId low = bytes(place.byte);
    const ValueId high = place.next == place.byte ? low : bytes(place.next);
    return unpacked(emit_, *memory.packed, low, high, emit_.splat(place.shift, width_), width_);
}

}  // namespace tsr::ir
