// pow: 2^(y log2|x|), where the logarithm is a sum of two numbers. With x = 2^k m, f = m - 1 and s = f / (2 +
// f), log2 m = s (2 / ln2 + s^2 P(s^2)).
#include "ir/passes/math/exponential.h"
#include "ir/passes/math/functions.h"
#include "ir/passes/math/split.h"

namespace tsr::ir::math {

namespace {

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
    const Format& of = format_of(x);
    const Split at = x.type() == DType::f32 ? f32::split_at_root(x, scaled) : f64::split_at_root(x, scaled);
    Term d = at.f + 2.0;
    Term d_low = at.f - (d - 2.0);
    Term inverse = 1.0 / d;
    Term s = at.f * inverse;
    Term s_low = fma(-s, d_low, fma(-s, d, at.f)) * inverse;
    Term z = s * s;
    Term z_low = fma(s + s, s_low, fma(s, s, -z));
    Term p = of.log2_ratio(z);
    Term q = z * p;
    Term q_low = fma(z_low, p, fma(z, p, -q));
    Pair factor = sum(x.real(of.two_over_ln2[0]), q);
    factor.low = factor.low + (q_low + of.two_over_ln2[1]);
    Term m = s * factor.high;
    Term m_low = fma(s, factor.high, -m) + fma(s, factor.low, s_low * factor.high);
    Pair result = sum(at.k, m);
    return sum(result.high, result.low + m_low);
}

// 2^(high + low) is 2^n times the part.
struct Power {
    Term part;
    Rounded n;
};

Power two_to(Term high, Term low) {
    Rounded n = round_to_whole(high + format_of(high).magic());
    return {exp2_of_small((high - n.value) + low), n};
}

// Of any numbers: IEEE 754's values for zeros, infinities, NaN and negative bases.
Term pow_anywhere(Term x, Term y) {
    const Format& of = format_of(x);
    const double up = static_cast<double>(int64_t{1} << of.fraction_bits);
    Term size = abs(x);
    Term subnormal = size < of.least_normal();
    Pair log = log2_of(select(subnormal, size * up, size),
                       select(subnormal, x.real(-static_cast<double>(of.fraction_bits)), x.real(0)));
    log.high = select(size == 0.0, -kInfinity, select(size == kInfinity, kInfinity, log.high));
    Term power = y * log.high;
    Term low = fma(y, log.high, -power) + y * log.low;
    const double ends = of.power_ends;
    Term inside = abs(power) < ends;
    Term clamped = select(power > ends, ends, select(power < -ends, -ends, power));
    Power two = two_to(clamped, select(inside, low, 0.0));
    Term result = scale(two.part, two.n);
    result = select(size == 1.0, 1.0, result);
    Term whole = floor(y) == y;
    Term odd = whole & (floor(y * 0.5) != y * 0.5);
    Term negative = as_integer(x) < as_integer(x).whole(0);
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
    Term common = x.type() == DType::f32 ? f32::is_common(x) : f64::is_common(x);
    return usually(
        common & (abs(power) < format_of(x).power_normal),
        [&](Builder& in) {
            Term own = y.in(in);
            Term low = fma(own, log.high.in(in), -power.in(in)) + own * log.low.in(in);
            Power of = two_to(power.in(in), low);
            return times_power(of.part, of.n);
        },
        [&](Builder& in) { return pow_anywhere(x.in(in), y.in(in)); });
}

}  // namespace tsr::ir::math
