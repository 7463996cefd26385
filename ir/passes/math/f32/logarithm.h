// What logarithms of f32 and pow share.
#pragma once

#include <cstdint>

#include "ir/passes/math/split.h"

namespace tsr::ir::math::f32 {

constexpr int64_t kExponent = -0x00800000;  // the bits of sign and exponent

// x = 2^k m with low <= m < 2 low, of a positive normal number; `low` as bits. Its k is multiplied by 2^23.
inline Split split_at(Term x, int64_t low) {
    Term bits = x.bits(DType::i32);
    Term power = (bits - bits.whole(low)) & bits.whole(kExponent);
    return {power.cast(DType::f32), (bits - power).bits(DType::f32) - 1.0};
}

// The same with sqrt(1/2) <= m < sqrt(2), where x is 2^scaled times a number: k is that number's.
inline Split split_at_root(Term x, Term scaled) {
    Split at = split_at(x, 0x3F3504F3);
    return {fma(at.k, 0x1p-23, scaled), at.f};
}

// Positive, normal and below 2^126.
inline Term is_common(Term x) {
    Term bits = x.bits(DType::i32);
    Term above = bits + bits.whole(0x7F800000);  // such numbers come first
    return above < above.whole(INT32_MIN + 0x7E000000);
}

}  // namespace tsr::ir::math::f32
