// Elements of packed tensors at a vector of indices.
#include "ir/passes/target/cpu/lanes/spread.h"

namespace tsr::ir {

ValueId Spread::gather_bytes(const Memory& memory, ValueId offsets, int64_t width, ValueId mask) {
    std::vector<ValueId> operands{memory.pointer, offsets};
    Attrs attrs;
    if (mask.valid()) {
        operands.push_back(mask);
        attrs.set(Attr::masked, int64_t{1});
    }
    return emit.op(OpKind::gather, std::move(operands), Type::vector(DType::u8, static_cast<uint32_t>(width)),
                   std::move(attrs));
}

ValueId Spread::gather_packed(const Memory& memory, ValueId row, ValueId elements, int64_t width, ValueId mask) {
    const PackedPlace place = packed_place(emit, *memory.packed, elements, width);
    const auto bytes = [&](ValueId at) {
        return gather_bytes(memory, emit.binary(OpKind::add, at, emit.splat(row, width)), width, mask);
    };
    const ValueId low = bytes(place.byte);
    const ValueId high = place.next == place.byte ? low : bytes(place.next);
    return unpacked(emit, *memory.packed, low, high, place.shift, width);
}

}  // namespace tsr::ir
