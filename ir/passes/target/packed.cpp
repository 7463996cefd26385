// Elements that share bytes: i4 and fp4 two to a byte, fp6 four to three, rows padded to whole packs. Bytes are what is
// loaded and stored; codes are taken out of them and put together in registers.
#include "ir/passes/target/kernel_code.h"

namespace tsr::ir {

namespace {

// `width` 0: a scalar.
ValueId number(Emit& emit, int64_t value, DType type, int64_t width) {
    const ValueId scalar = emit.integer(value, type);
    return width == 0 ? scalar : emit.splat(scalar, width);
}

}  // namespace

PackedPlace packed_place(Emit& emit, DType type, ValueId element, int64_t width) {
    const auto index = [&](int64_t value) { return number(emit, value, DType::index, width); };
    const ValueId bit = emit.binary(OpKind::mul, element, index(bits(type)));
    PackedPlace place;
    place.byte = emit.binary(OpKind::shr, bit, index(3));
    place.next = place.byte;
    if (8 % bits(type) != 0) {
        place.next = emit.binary(OpKind::shr, emit.binary(OpKind::add, bit, index(bits(type) - 1)), index(3));
    }
    place.shift = emit.cast(emit.binary(OpKind::bit_and, bit, index(7)), DType::u8);
    return place;
}

ValueId unpacked(Emit& emit, DType type, ValueId byte, ValueId next, ValueId shift, int64_t width) {
    ValueId code = emit.binary(OpKind::shr, byte, shift);
    if (8 % bits(type) != 0) {  // a shift by 8 gives 0: then nothing of the next byte is wanted
        const ValueId left = emit.binary(OpKind::sub, number(emit, 8, DType::u8, width), shift);
        code = emit.binary(OpKind::bit_or, code, emit.binary(OpKind::shl, next, left));
    }
    return emit.op(OpKind::bitcast, {code}, {{Attr::type, type}});
}

ValueId packed_byte(Emit& emit, DType type, const std::vector<ValueId>& elements, int64_t byte, int64_t width) {
    ValueId result;
    for (size_t i = 0; i < elements.size(); ++i) {
        const int64_t at = static_cast<int64_t>(i) * bits(type) - 8 * byte;  // bits up in this byte
        if (at <= -bits(type) || at >= 8) continue;
        ValueId code = elements[i];
        if (emit.element_type(code) != DType::u8) {
            code = emit.op(OpKind::bitcast, {code}, {{Attr::type, DType::u8}});
        }
        if (at > 0) code = emit.binary(OpKind::shl, code, number(emit, at, DType::u8, width));
        if (at < 0) code = emit.binary(OpKind::shr, code, number(emit, -at, DType::u8, width));
        result = result.valid() ? emit.binary(OpKind::bit_or, result, code) : code;
    }
    return result;
}

void KernelCode::describe_packed(Memory& memory) {
    if (memory.dims.empty()) return;  // a single element
    memory.row = memory.dims.back();
    const int64_t pack = pack_size(*memory.packed);
    const ValueId packs =
        emit.binary(OpKind::floordiv, emit.add(memory.row, emit.integer(pack - 1)), emit.integer(pack));
    memory.dims.back() = emit.mul(packs, emit.integer(pack * bits(*memory.packed) / 8));
}

ValueId KernelCode::load_packed(const Memory& memory, std::vector<ValueId> indices, ValueId mask) {
    const ValueId element = indices.empty() ? emit.integer(0) : emit.cast(indices.back(), DType::index);
    const PackedPlace place = packed_place(emit, *memory.packed, element, 0);
    const auto byte = [&](ValueId at) {
        if (!indices.empty()) indices.back() = at;
        return emit.load(address(memory, indices), 0, mask);
    };
    const ValueId low = byte(place.byte);
    const ValueId high = place.next == place.byte ? low : byte(place.next);
    return unpacked(emit, *memory.packed, low, high, place.shift, 0);
}

void KernelCode::store_packed(const Memory& memory, std::vector<ValueId> indices, const std::vector<ValueId>& values,
                              ValueId mask) {
    const auto pack = static_cast<size_t>(pack_size(*memory.packed));
    const auto bytes = static_cast<int64_t>(pack) * bits(*memory.packed) / 8;
    ValueId at = packed_place(emit, *memory.packed, emit.cast(indices.back(), DType::index), 0).byte;
    for (size_t first = 0; first + pack <= values.size(); first += pack) {
        const std::vector<ValueId> group(&values[first], &values[first] + pack);
        for (int64_t byte = 0; byte < bytes; ++byte) {
            indices.back() = at;
            emit.store(address(memory, indices), packed_byte(emit, *memory.packed, group, byte, 0), mask);
            at = emit.add(at, emit.integer(1));
        }
    }
}

}  // namespace tsr::ir
