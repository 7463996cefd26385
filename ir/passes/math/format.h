// What the formulas need to know of f32 and of f64.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "ir/passes/math/polynomial.h"

namespace tsr::ir::math {

struct Format {
    DType type;
    int64_t fraction_bits;
    int64_t bias;  // of the exponent

    // Numbers as sums of numbers of this format, the largest first.
    std::array<double, 2> ln2;
    std::array<double, 2> two_over_ln2;
    std::array<double, 2> half_pi;
    std::array<double, 3> pi;
    std::array<double, 3> quarter_turn;  // pi/2; the second has few enough bits for exact products

    // exp(x) is normal for |x| below the first, 0 below the second, infinity from the third on.
    double exp_normal, exp_zero, exp_infinity;
    // exp(x) / 2 and exp(-x) / 2 are normal for |x| below the first; exp(x) / 2 is infinity from the second on.
    double half_exp_normal, half_exp_infinity;
    // 2^x is normal for |x| below the first; 0 or infinity for |x| from the second on.
    double power_normal, power_ends;
    double tanh_one;              // from here on tanh is 1
    double large, large_for_tan;  // angles below need pi in three parts only

    Polynomial exp;    // (exp(r) - 1 - r) / r^2
    Polynomial expm1;  // the same, near in relation to exp(r) - 1
    Polynomial exp2;   // (2^r - 1) / r
    Polynomial sinh, cosh, tanh, sin, tan, sin_quarter, cos_quarter, asin, log2_ratio;

    // 1.5 * 2^fraction_bits: the sum of it and a number below a third of it has the nearest whole number in its low
    // bits.
    [[nodiscard]] double magic() const { return 1.5 * static_cast<double>(int64_t{1} << fraction_bits); }
    [[nodiscard]] int64_t magic_bits() const {
        return ((bias + fraction_bits) << fraction_bits) | (int64_t{1} << (fraction_bits - 1));
    }
    [[nodiscard]] int64_t half_bits() const { return (bias - 1) << fraction_bits; }  // of 1/2
    [[nodiscard]] double least_normal() const { return std::ldexp(1.0, static_cast<int>(1 - bias)); }
    [[nodiscard]] int64_t sign_bit() const { return type == DType::f32 ? INT32_MIN : INT64_MIN; }
};

extern const Format kF32;  // f32/format.cpp
extern const Format kF64;  // f64/format.cpp

// That of `x`, a float or the integer that has its bits.
inline const Format& format_of(Term x) { return x.type() == DType::f32 || x.type() == DType::i32 ? kF32 : kF64; }

// The bits of a float as an integer with sign, and back.
inline Term as_integer(Term x) { return x.bits(x.type() == DType::f32 ? DType::i32 : DType::i64); }
inline Term as_float(Term x) { return x.bits(format_of(x).type); }

// The sign of `sign` on the size of `size`; `size` is not negative or has this sign.
inline Term with_sign(Term size, Term sign) {
    Term bits = as_integer(sign);
    return as_float(as_integer(size) | (bits & bits.whole(format_of(sign).sign_bit())));
}

}  // namespace tsr::ir::math
