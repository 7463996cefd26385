// log and its kin, pow. x = 2^k m with sqrt(1/2) <= m < sqrt(2); with f = m - 1 and s = f / (2 + f),
// log m = f - (f^2/2 - s (f^2/2 + s^2 P(s^2))).
#include <cmath>
#include <limits>

#include "ir/passes/math/coefficients.h"
#include "ir/passes/math/functions.h"

namespace tsr::ir::math {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// ln 2 in two parts; the first has enough zeros behind it that its multiples by exponents are exact.
constexpr double kLn2High32 = 0.693359375;
constexpr double kLn2Low32 = -2.12194440054690583e-4;
constexpr double kLn2High64 = 0.693147180369123816490;
constexpr double kLn2Low64 = 1.90821492927058770002e-10;

struct Split {
    Term k;  // the exponent, as a number of the format
    Term f;  // m - 1, exact
};

Split split(Term x) {
    bool single = x.type() == DType::f32;
    int64_t mantissa = single ? 23 : 52;
    double up = single ? 8388608.0 : 4503599627370496.0;
    Term subnormal = x < (single ? 1.1754943508222875e-38 : 2.2250738585072014e-308);
    Term normal = select(subnormal, x * up, x);
    Term bits = normal.bits(single ? DType::i32 : DType::i64);
    int64_t root_half = single ? 0x3F3504F3 : 0x3FE6A09E667F3BCD;
    Term exponent = (bits - bits.whole(root_half)) >> mantissa;
    Term m = (bits - (exponent << mantissa)).bits(x.type());
    Term k = exponent.cast(x.type()) - select(subnormal, x.real(static_cast<double>(mantissa)), x.real(0));
    return {k, m - 1.0};
}

// The values at the ends: log 0 = -inf, log inf = inf, below 0 and for NaN NaN.
Term with_ends(Term result, Term x) {
    result = select(x == kInfinity, x, result);
    result = select(x > 0.0, result, kNan);
    return select(x == 0.0, -kInfinity, result);
}

struct Parts {
    Term k;
    Term f;
    Term correction;  // log m = f - correction
};

Parts log_parts(Term x) {
    Split at = split(x);
    Term s = at.f / (at.f + 2.0);
    Term z = s * s;
    Term r = z * (x.type() == DType::f32 ? polynomial(z, kLog32) : polynomial(z, kLog64));
    Term half_square = at.f * 0.5 * at.f;
    return {at.k, at.f, half_square - s * (half_square + r)};
}

}  // namespace

Term log(Term x) {
    bool single = x.type() == DType::f32;
    Parts p = log_parts(x);
    Term low = p.correction - p.k * (single ? kLn2Low32 : kLn2Low64);
    Term result = fma(p.k, single ? kLn2High32 : kLn2High64, p.f - low);
    return with_ends(result, x);
}

Term log2(Term x) {
    if (x.type() == DType::f32) return log2(x.cast(DType::f64)).cast(DType::f32);
    constexpr double kHigh = 1.4426950408889634;
    constexpr double kLow = 2.0355273740931033e-17;
    Parts p = log_parts(x);
    Term m = p.f - p.correction;
    Term lost = (p.f - m) - p.correction;
    return with_ends(fma(m, kHigh, fma(m, kLow, lost * kHigh)) + p.k, x);
}

Term log10(Term x) {
    if (x.type() == DType::f32) return log10(x.cast(DType::f64)).cast(DType::f32);
    constexpr double kHigh = 0.4342944819032518;
    constexpr double kLow = 1.098319650216765e-17;
    constexpr double kTwoHigh = 0.30102999566406652;  // log10 2 with zeros behind it
    constexpr double kTwoLow = -8.5323443170571066e-14;
    Parts p = log_parts(x);
    Term m = p.f - p.correction;
    Term lost = (p.f - m) - p.correction;
    Term small = fma(m, kLow, fma(lost, kHigh, p.k * kTwoLow));
    return with_ends(fma(p.k, kTwoHigh, fma(m, kHigh, small)), x);
}

// log(1 + x), with what the sum 1 + x lost given back.
Term log1p(Term x) {
    if (x.type() == DType::f32) return log1p(x.cast(DType::f64)).cast(DType::f32);
    Term u = x + 1.0;
    Term lost = (u - 1.0) - x;
    Term result = log(u) - select((u < kInfinity) & (u > 0.0), lost / u, 0.0);
    return select(u == 1.0, x, result);
}

namespace {

// log x as a sum of two numbers, to about 60 bits.
struct Double {
    Term high;
    Term low;
};

Double exact_log(Term x) {
    Split at = split(x);
    Term d = at.f + 2.0;
    Term d_lost = at.f - (d - 2.0);
    Term s = at.f / d;
    Term s_low = (fma(-s, d, at.f) - s * d_lost) / d;
    Term z = s * s;
    Term rest = s * z * polynomial(z, kLog64) + (s_low + s_low);
    Term big = at.k * kLn2High64;  // exact
    Term twice = s + s;
    Term high = big + twice;
    Term lost = select(abs(big) > abs(twice), (big - high) + twice, (twice - high) + big);
    Term low = lost + fma(at.k, kLn2Low64, rest);
    Term sum = high + low;
    return {sum, (high - sum) + low};
}

}  // namespace

// exp(y log x); IEEE 754's values for zeros, infinities, NaN and negative bases.
Term pow(Term x, Term y) {
    if (x.type() == DType::f32) return pow(x.cast(DType::f64), y.cast(DType::f64)).cast(DType::f32);
    Term size = abs(x);
    Double l = exact_log(size);
    Term log_size = select(size == 0.0, -kInfinity, select(size == kInfinity, kInfinity, l.high));
    Term power = y * log_size;
    Term finite = abs(power) < kInfinity;
    Term low = select(finite, fma(y, log_size, -power) + y * l.low, 0.0);
    Term result = exp(power);
    result = select(abs(power) < 800.0, fma(result, low, result), result);
    result = select(size == 1.0, 1.0, result);
    Term whole = floor(y) == y;
    Term odd = whole & (floor(y * 0.5) != y * 0.5);
    Term negative = x.bits(DType::i64) < x.bits(DType::i64).whole(0);
    result = select(negative & odd, -result, result);
    Term undefined = (x < 0.0) & (size < kInfinity) & (whole == whole.shaped(x.builder->boolean(false)));
    result = select(undefined, kNan, result);
    result = select((x != x) | (y != y), kNan, result);
    return select((y == 0.0) | (x == 1.0), 1.0, result);
}

}  // namespace tsr::ir::math
