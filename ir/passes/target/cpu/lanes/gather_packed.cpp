// Elements of packed tensors at a vector of indices.
#include "ir/passes/target/cpu/lanes/spread.h"

namespace tsr::ir {

ValueId Spread::gather_packed(const Memory& memory, ValueId row, ValueId elements, int64_t width, ValueId mask) {
    const PackedPlace place = packed_place(emit, *memory.packed, elements, width);
    const auto bytes = [&](ValueId at) {
        return emit.gather(memory.pointer, emit.binary(OpKind::add, at, emit.splat(row, width)), mask);
    };
    const ValueId low = bytes(place.byte);
    const ValueId high = place.next == place.byte ? low : bytes(place.next);
    return unpacked(emit, *memory.packed, low, high, place.shift, width);
}

}  // namespace tsr::ir
