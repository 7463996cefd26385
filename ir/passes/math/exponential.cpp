// exp and its kin. x = n ln2 + r with |r| <= ln2 / 2, and exp(r) - 1 = r + r^2 P(r).
#include <cmath>

#include "ir/passes/math/coefficients.h"
#include "ir/passes/math/functions.h"

namespace tsr::ir::math {

namespace {

// What differs between the two formats.
struct Format {
    DType bits;
    int64_t mantissa;
    int64_t bias;
    double magic;        // 1.5 * 2^mantissa: adding it rounds to whole numbers, kept in the low bits
    int64_t magic_bits;  // its bit pattern
    double ln2_high;     // ln 2 rounded to the format
    double ln2_low;      // the rest
    double largest;      // exp of more is infinite
    double smallest;     // exp of less is 0
};

constexpr Format kSingle{
    DType::i32, 23, 127, 12582912.0, 0x4B400000, 0.693147182464599609375, -1.904654299957767878541823e-9, 89.0, -104.0};
constexpr Format kDouble{DType::i64,
                         52,
                         1023,
                         6755399441055744.0,
                         0x4338000000000000,
                         0.693147180559945286226764,
                         2.319046813846299558417771e-17,
                         710.0,
                         -746.0};

const Format& format_of(Term x) { return x.type() == DType::f32 ? kSingle : kDouble; }

Term clamp(Term x, double low, double high) {  // NaN stays
    x = select(x > high, high, x);
    return select(x < low, low, x);
}

struct Reduced {
    Term n;      // whole, as a number of the format
    Term power;  // n as an integer
    Term rest;
};

Reduced reduce(Term x) {
    const Format& f = format_of(x);
    Term shifted = fma(x, 1.4426950408889634, f.magic);
    Term n = shifted - f.magic;
    Term rest = fma(n, -f.ln2_low, fma(n, -f.ln2_high, x));
    Term bits = shifted.bits(f.bits);
    return {n, bits - bits.whole(f.magic_bits), rest};
}

// r + r^2 P(r): exp(r) - 1.
Term small_expm1(Term r) {
    Term p = r.type() == DType::f32 ? polynomial(r, kExp32) : polynomial(r, kExp64);
    return fma(p, r * r, r);
}

// value * 2^power in two steps, so that the result may be subnormal or near the largest number.
Term scale(Term value, Term power) {
    const Format& f = format_of(value);
    auto two_to = [&](Term k) { return ((k + k.whole(f.bias)) << f.mantissa).bits(value.type()); };
    Term half = power >> 1;
    return value * two_to(half) * two_to(power - half);
}

}  // namespace

Term exp(Term x) {
    const Format& f = format_of(x);
    Reduced r = reduce(clamp(x, f.smallest, f.largest));
    return scale(small_expm1(r.rest) + 1.0, r.power);
}

Term exp2(Term x) {
    const Format& f = format_of(x);
    Term inside = clamp(x, f.smallest * 1.45, f.largest * 1.45);
    Term shifted = inside + f.magic;
    Term n = shifted - f.magic;
    Term part = inside - n;  // exact
    Term rest = fma(part, f.ln2_high, part * f.ln2_low);
    Term bits = shifted.bits(f.bits);
    return scale(small_expm1(rest) + 1.0, bits - bits.whole(f.magic_bits));
}

// 2^n (exp(r) - 1) + (2^n - 1). Beyond 40 the 1 is below the last bit.
Term expm1(Term x) {
    if (x.type() == DType::f32) return expm1(x.cast(DType::f64)).cast(DType::f32);
    Reduced r = reduce(clamp(x, -40.0, 40.0));
    Term power = ((r.power + r.power.whole(kDouble.bias)) << kDouble.mantissa).bits(DType::f64);
    Term near = fma(small_expm1(r.rest), power, power - 1.0);
    near = select(x == 0.0, x, near);  // keeps -0
    return select(x > 40.0, exp(x), near);
}

Term sinh(Term x) {
    if (x.type() == DType::f32) return sinh(x.cast(DType::f64)).cast(DType::f32);
    Term size = abs(x);
    Term t = expm1(size);
    Term near = (t + t / (t + 1.0)) * 0.5;
    Term half = exp(size * 0.5);  // exp(size) alone would overflow too early
    return with_sign(select(size > 40.0, half * 0.5 * half, near), x);
}

Term cosh(Term x) {
    if (x.type() == DType::f32) return cosh(x.cast(DType::f64)).cast(DType::f32);
    Term size = abs(x);
    Term e = exp(size);
    Term half = exp(size * 0.5);
    return select(size > 40.0, half * 0.5 * half, (e + 1.0 / e) * 0.5);
}

// Near 0 an odd polynomial; further 1 - 2 / (exp(2x) + 1).
Term tanh(Term x) {
    Term size = abs(x);
    Term z = x * x;
    Term p = x.type() == DType::f32 ? polynomial(z, kTanh32) : polynomial(z, kTanh64);
    Term near = fma(p * z, size, size);
    Term far = 1.0 - 2.0 / (exp(size + size) + 1.0);
    return with_sign(select(size < 0.625, near, far), x);
}

}  // namespace tsr::ir::math
