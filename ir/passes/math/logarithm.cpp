// log and its kin, pow, of f64. x = 2^k m with sqrt(1/2) <= m < sqrt(2); with f = m - 1 and s = f / (2 + f),
// log m = f - (f^2/2 - s (f^2/2 + s^2 P(s^2))).
#include "ir/passes/math/coefficients.h"
#include "ir/passes/math/functions.h"

namespace tsr::ir::math {

namespace {

// ln 2 in two parts; the first has enough zeros behind it that its multiples by exponents are exact.
constexpr double kLn2High = 0.693147180369123816490;
constexpr double kLn2Low = 1.90821492927058770002e-10;

struct Split {
    Term k;  // the exponent, as f64
    Term f;  // m - 1, exact
};

Split split(Term x) {
    constexpr int64_t kMantissa = 52;
    Term subnormal = x < 2.2250738585072014e-308;
    Term normal = select(subnormal, x * 4503599627370496.0, x);
    Term bits = normal.bits(DType::i64);
    constexpr int64_t kRootHalf = 0x3FE6A09E667F3BCD;
    Term exponent = (bits - bits.whole(kRootHalf)) >> kMantissa;
    Term m = (bits - (exponent << kMantissa)).bits(DType::f64);
    Term k = exponent.cast(DType::f64) - select(subnormal, x.real(kMantissa), x.real(0));
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
    Term r = z * polynomial(z, kLog64);
    Term half_square = at.f * 0.5 * at.f;
    return {at.k, at.f, half_square - s * (half_square + r)};
}

}  // namespace

Term log(Term x) {
    Parts p = log_parts(x);
    Term low = p.correction - p.k * kLn2Low;
    Term result = fma(p.k, kLn2High, p.f - low);
    return with_ends(result, x);
}

Term log2(Term x) {
    constexpr double kHigh = 1.4426950408889634;
    constexpr double kLow = 2.0355273740931033e-17;
    Parts p = log_parts(x);
    Term m = p.f - p.correction;
    Term lost = (p.f - m) - p.correction;
    return with_ends(fma(m, kHigh, fma(m, kLow, lost * kHigh)) + p.k, x);
}

Term log10(Term x) {
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
    Term big = at.k * kLn2High;  // exact
    Term twice = s + s;
    Term high = big + twice;
    Term lost = select(abs(big) > abs(twice), (big - high) + twice, (twice - high) + big);
    Term low = lost + fma(at.k, kLn2Low, rest);
    Term sum = high + low;
    return {sum, (high - sum) + low};
}

}  // namespace

// exp(y log x); IEEE 754's values for zeros, infinities, NaN and negative bases.
Term pow(Term x, Term y) {
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
