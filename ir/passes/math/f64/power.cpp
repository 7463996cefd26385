// pow of f64: 2^(y log2|x|), where the logarithm is a sum of two numbers. With x = 2^k m, f = m - 1 and s = f / (2 +
// f), log2 m = s (2 / ln2 + s^2 P(s^2)).
#include "ir/passes/math/f64/coefficients.h"
#include "ir/passes/math/f64/exponential.h"
#include "ir/passes/math/f64/functions.h"
#include "ir/passes/math/f64/logarithm.h"

namespace tsr::ir::math::f64 {

namespace {

constexpr double kTwoOverLn2 = 2.8853900817779268;         // 2 / ln 2 rounded to f64
constexpr double kTwoOverLn2Low = 4.0710547481862066e-17;  // the rest

// A number as a sum of two, the second below the last bit of the first.
struct Pair {
    Term high;
    Term low;
};

// The sum of `large` and what is smaller.
Pair sum(Term large, Term small) {
    Term high = large + small;
    return {high, small - (high - large)};
}

// log2 of a positive, normal number; `scaled` is added to its exponent.
Pair log2_of(Term x, Term scaled) {
    Split at = split(x);
    Term k = at.k + scaled;
    Term f = at.f;
    Term d = f + 2.0;
    Term d_low = f - (d - 2.0);
    Term inverse = 1.0 / d;
    Term s = f * inverse;
    Term s_low = fma(-s, d_low, fma(-s, d, f)) * inverse;
    Term z = s * s;
    Term z_low = fma(s + s, s_low, fma(s, s, -z));
    Term p = polynomial_in_two(z, kLog2Ratio);
    Term q = z * p;
    Term q_low = fma(z_low, p, fma(z, p, -q));
    Pair factor = sum(x.real(kTwoOverLn2), q);
    factor.low = factor.low + (q_low + kTwoOverLn2Low);
    Term m = s * factor.high;
    Term m_low = fma(s, factor.high, -m) + fma(s, factor.low, s_low * factor.high);
    Pair result = sum(k, m);
    return sum(result.high, result.low + m_low);
}

// 2^(high + low) is 2^n times the part.
struct Power {
    Term part;
    Rounded n;
};

Power two_to(Term high, Term low) {
    Rounded n = round_to_whole(high + kMagic);
    return {exp2_of_small((high - n.value) + low), n};
}

// Of any numbers: IEEE 754's values for zeros, infinities, NaN and negative bases.
Term pow_anywhere(Term x, Term y) {
    Term size = abs(x);
    Term subnormal = size < 2.2250738585072014e-308;
    Pair log = log2_of(select(subnormal, size * 0x1p52, size), select(subnormal, x.real(-52), x.real(0)));
    log.high = select(size == 0.0, -kInfinity, select(size == kInfinity, kInfinity, log.high));
    Term power = y * log.high;
    Term low = fma(y, log.high, -power) + y * log.low;
    Term inside = abs(power) < 1200.0;
    Term clamped = select(power > 1200.0, 1200.0, select(power < -1200.0, -1200.0, power));
    Power of = two_to(clamped, select(inside, low, 0.0));
    Term result = scale(of.part, of.n);
    result = select(size == 1.0, 1.0, result);
    Term whole = floor(y) == y;
    Term odd = whole & (floor(y * 0.5) != y * 0.5);
    Term negative = x.bits(DType::i64) < x.bits(DType::i64).whole(0);
    result = select(negative & odd, -result, result);
    Term fraction = floor(y) != y;
    result = select((x < 0.0) & (size < kInfinity) & fraction, kNan, result);
    result = select((x != x) | (y != y), kNan, result);
    return select((y == 0.0) | (x == 1.0), 1.0, result);
}

}  // namespace

Term pow(Term x, Term y) {
    Pair log = log2_of(x, x.real(0));
    Term power = y * log.high;
    return usually(
        is_common(x) & (abs(power) < 1020.0),
        [&](Builder& in) {
            Term own = y.in(in);
            Term low = fma(own, log.high.in(in), -power.in(in)) + own * log.low.in(in);
            Power of = two_to(power.in(in), low);
            return times_power(of.part, of.n);
        },
        [&](Builder& in) { return pow_anywhere(x.in(in), y.in(in)); });
}

}  // namespace tsr::ir::math::f64
