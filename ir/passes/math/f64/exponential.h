// What the exponential functions of f64 share.
#pragma once

#include <cstdint>

#include "ir/passes/math/f64/coefficients.h"
#include "ir/passes/math/term.h"

namespace tsr::ir::math::f64 {

// 1.5 * 2^52: the sum of it and a number below 2^51 has the nearest whole number in its low bits.
constexpr double kMagic = 6755399441055744.0;
constexpr int64_t kMagicBits = 0x4338000000000000;

struct Rounded {
    Term value;    // a whole number
    Term shifted;  // i64: kMagicBits + value
};

// `sum` is a number plus kMagic.
inline Rounded round_to_whole(Term sum) { return {sum - kMagic, sum.bits(DType::i64)}; }

// value * 2^n, where that and 2^n are normal numbers.
inline Term times_power(Term value, Rounded n) {
    return (value.bits(DType::i64) + (n.shifted << 52)).bits(DType::f64);  // the shift leaves nothing of kMagicBits
}

struct Reduced {
    Rounded n;
    Term rest;
};

// x = n ln2 + rest, |rest| <= ln2/2.
inline Reduced reduce(Term x) {
    Rounded n = round_to_whole(fma(x, 1.4426950408889634, kMagic));
    // ln 2 as a number of f64 below it and the rest: with both negative, -0 stays.
    Term high = fma(n.value, -0.693147180559945286226764, x);
    return {n, fma(n.value, -2.319046813846299558417771e-17, high)};
}

// value * 2^n in two steps, so that the result may be subnormal or near the largest number.
Term scale(Term value, Rounded n);

// exp(r) for |r| <= ln2/2.
inline Term exp_of_small(Term r) { return fma(fma(polynomial_in_two(r, kExp), r, 1.0), r, 1.0); }

// 2^r for |r| <= 1/2.
inline Term exp2_of_small(Term r) { return fma(polynomial_in_two(r, kExp2), r, 1.0); }

// exp(r) - 1 for |r| <= ln2/2.
inline Term small_expm1(Term r) { return fma(polynomial_in_two(r, kExp), r * r, r); }

// The sign of `sign` on the size of `size`; `size` is not negative or has this sign.
inline Term with_sign(Term size, Term sign) {
    Term bits = sign.bits(DType::i64);
    return (size.bits(DType::i64) | (bits & bits.whole(INT64_MIN))).bits(DType::f64);
}

}  // namespace tsr::ir::math::f64
