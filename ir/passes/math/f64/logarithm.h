// What logarithms of f64 and pow share.
#pragma once

#include <cstdint>

#include "ir/passes/math/split.h"

namespace tsr::ir::math::f64 {

// Bits whose exponent is k + 1023 where x is 2^k m with sqrt(1/2) <= m < sqrt(2).
constexpr int64_t kRootHalf = 0x3FE6A09E667F3BCD;
inline Term moved_bits(Term x) {
    Term bits = x.bits(DType::i64);
    return bits + bits.whole(0x3FF0000000000000 - kRootHalf);
}

// k as f64: below 2^52 a whole number is the low bits of its sum with 2^52.
inline Term exponent_of(Term moved) {
    Term k = moved.bits(DType::u64) >> 52;
    return (k | k.whole(0x4330000000000000)).bits(DType::f64) - (0x1p52 + 1023);
}

// Of a positive normal number.
inline Split split(Term x) {
    Term moved = moved_bits(x);
    Term m = (moved & moved.whole(0x000FFFFFFFFFFFFF)) + moved.whole(kRootHalf);
    return {exponent_of(moved), m.bits(DType::f64) - 1.0};
}

// The same where x is 2^scaled times a number: k is that number's.
inline Split split_at_root(Term x, Term scaled) {
    Split at = split(x);
    return {at.k + scaled, at.f};
}

// Positive, normal and below 2^1022.
inline Term is_common(Term x) {
    Term bits = x.bits(DType::i64);
    Term above = bits + bits.whole(0x7FF0000000000000);  // such numbers come first
    return above < above.whole(INT64_MIN + 0x7FC0000000000000);
}

}  // namespace tsr::ir::math::f64
