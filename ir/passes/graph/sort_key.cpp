#include "ir/passes/graph/sort_key.h"

#include "ir/core/internal.h"

namespace tsr::ir {

namespace {

// The bits of the greatest number of a format that is no NaN, without its sign.
uint64_t infinity_bits(DType elem) {
    switch (elem) {
        case DType::f64:
            return 0x7ff0000000000000;
        case DType::f32:
            return 0x7f800000;
        case DType::f16:
            return 0x7c00;
        case DType::bf16:
            return 0x7f80;
        default:
            internal_error("a sort of elements without an order of their own");
    }
}

}  // namespace

OrderKey::OrderKey(DType elem, bool descends)
    : elem_(elem), bits_(elem == DType::boolean ? 8 : bits(elem)), descends_(descends) {
    type_ = bits_ == 64 ? DType::u64 : DType::u32;
}

ValueId OrderKey::of(Builder& b, ValueId value) const {
    if (is_float(elem_)) return of_float(b, value);
    const ValueId key = elem_ == DType::boolean || !is_signed_integer() ? b.cast(value, type_) : shifted(b, value);
    return descends_ ? b.sub(all(b), key) : key;
}

ValueId OrderKey::digit(Builder& b, ValueId value, ValueId shift) const {
    return b.bit_and(b.shr(of(b, value), b.cast(shift, type_)), number(b, kDigits - 1));
}

bool OrderKey::is_signed_integer() const {
    return elem_ == DType::i8 || elem_ == DType::i16 || elem_ == DType::i32 || elem_ == DType::i64;
}

// The least has the key 0.
ValueId OrderKey::shifted(Builder& b, ValueId value) const {
    const ValueId wide = b.bitcast(b.cast(value, bits_ == 64 ? DType::i64 : DType::i32), type_);
    return b.bit_and(b.add(wide, number(b, middle())), all(b));
}

ValueId OrderKey::of_float(Builder& b, ValueId value) const {
    const DType raw = bits_ == 64 ? DType::u64 : bits_ == 32 ? DType::u32 : DType::u16;
    const ValueId held = b.cast(b.bitcast(value, raw), type_);
    const ValueId size = b.bit_and(held, number(b, middle() - 1));
    const ValueId center = number(b, middle());
    const ValueId below = b.ge(held, center);
    const ValueId key = b.select(below, b.sub(center, size), b.add(center, size));
    const ValueId nan = b.gt(size, number(b, infinity_bits(elem_)));
    return b.select(nan, all(b), descends_ ? b.sub(all(b), key) : key);
}

}  // namespace tsr::ir
