// exp and its kin, of f64. x = n ln2 + r with |r| <= ln2 / 2, and exp(r) - 1 = r + r^2 P(r).
#include <cstdint>

#include "ir/passes/math/coefficients.h"
#include "ir/passes/math/functions.h"

namespace tsr::ir::math {

namespace {

constexpr int64_t kMantissa = 52;
constexpr int64_t kBias = 1023;
constexpr double kMagic = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to whole numbers, kept in the low bits
constexpr int64_t kMagicBits = 0x4338000000000000;
constexpr double kLn2High = 0.693147180559945286226764;  // ln 2 rounded to f64
constexpr double kLn2Low = 2.319046813846299558417771e-17;
constexpr double kLargest = 710.0;    // exp of more is infinite
constexpr double kSmallest = -746.0;  // exp of less is 0

Term clamp(Term x, double low, double high) {  // NaN stays
    x = select(x > high, high, x);
    return select(x < low, low, x);
}

struct Reduced {
    Term n;      // whole, as f64
    Term power;  // n as an integer
    Term rest;
};

Reduced reduce(Term x) {
    Term shifted = fma(x, 1.4426950408889634, kMagic);
    Term n = shifted - kMagic;
    Term rest = fma(n, -kLn2Low, fma(n, -kLn2High, x));
    Term bits = shifted.bits(DType::i64);
    return {n, bits - bits.whole(kMagicBits), rest};
}

// r + r^2 P(r): exp(r) - 1.
Term small_expm1(Term r) { return fma(polynomial(r, kExp64), r * r, r); }

// value * 2^power in two steps, so that the result may be subnormal or near the largest number.
Term scale(Term value, Term power) {
    auto two_to = [&](Term k) { return ((k + k.whole(kBias)) << kMantissa).bits(value.type()); };
    Term half = power >> 1;
    return value * two_to(half) * two_to(power - half);
}

}  // namespace

Term exp(Term x) {
    Reduced r = reduce(clamp(x, kSmallest, kLargest));
    return scale(small_expm1(r.rest) + 1.0, r.power);
}

Term exp2(Term x) {
    Term inside = clamp(x, kSmallest * 1.45, kLargest * 1.45);
    Term shifted = inside + kMagic;
    Term n = shifted - kMagic;
    Term part = inside - n;  // exact
    Term rest = fma(part, kLn2High, part * kLn2Low);
    Term bits = shifted.bits(DType::i64);
    return scale(small_expm1(rest) + 1.0, bits - bits.whole(kMagicBits));
}

// 2^n (exp(r) - 1) + (2^n - 1). Beyond 40 the 1 is below the last bit.
Term expm1(Term x) {
    Reduced r = reduce(clamp(x, -40.0, 40.0));
    Term power = ((r.power + r.power.whole(kBias)) << kMantissa).bits(DType::f64);
    Term near = fma(small_expm1(r.rest), power, power - 1.0);
    near = select(x == 0.0, x, near);  // keeps -0
    return select(x > 40.0, exp(x), near);
}

Term sinh(Term x) {
    Term size = abs(x);
    Term t = expm1(size);
    Term near = (t + t / (t + 1.0)) * 0.5;
    Term half = exp(size * 0.5);  // exp(size) alone would overflow too early
    return with_sign(select(size > 40.0, half * 0.5 * half, near), x);
}

Term cosh(Term x) {
    Term size = abs(x);
    Term e = exp(size);
    Term half = exp(size * 0.5);
    return select(size > 40.0, half * 0.5 * half, (e + 1.0 / e) * 0.5);
}

// Near 0 an odd polynomial; further 1 - 2 / (exp(2x) + 1).
Term tanh(Term x) {
    Term size = abs(x);
    Term z = x * x;
    Term p = polynomial(z, kTanh64);
    Term near = fma(p * z, size, size);
    Term far = 1.0 - 2.0 / (exp(size + size) + 1.0);
    return with_sign(select(size < 0.625, near, far), x);
}

}  // namespace tsr::ir::math
