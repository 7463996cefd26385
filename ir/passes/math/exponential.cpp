// exp, exp2 and expm1. With x = n ln2 + r, |r| <= ln2/2, exp(x) is 2^n exp(r).
#include "ir/passes/math/exponential.h"

#include "ir/passes/math/functions.h"

namespace tsr::ir::math {

namespace {

// NaN stays.
Term clamp(Term x, double low, double high) {
    x = select(x > high, high, x);
    return select(x < low, low, x);
}

}  // namespace

Term scale(Term value, Rounded n) {
    const Format& of = format_of(value);
    auto two_to = [&](Term k) { return as_float((k + k.whole(of.bias)) << of.fraction_bits); };
    Term power = n.shifted - n.shifted.whole(of.magic_bits());
    Term half = power >> 1;
    return value * two_to(half) * two_to(power - half);
}

Term exp(Term x) {
    const Format& of = format_of(x);
    return usually(
        abs(x) < of.exp_normal,
        [&](Builder& in) {
            Reduced at = reduce(x.in(in));
            return times_power(exp_of_small(at.rest), at.n);
        },
        [&](Builder& in) {
            Reduced at = reduce(clamp(x.in(in), of.exp_zero, of.exp_infinity));
            return scale(exp_of_small(at.rest), at.n);
        });
}

Term exp2(Term x) {
    const Format& of = format_of(x);
    const auto bias = static_cast<double>(of.bias);
    const auto fraction_bits = static_cast<double>(of.fraction_bits);
    return usually(
        abs(x) < bias - 1,
        [&](Builder& in) {
            Rounded n = round_to_whole(x.in(in) + of.magic());
            return times_power(exp2_of_small(x.in(in)-n.value), n);
        },
        [&](Builder& in) {
            Term inside = clamp(x.in(in), -(bias + fraction_bits + 1), bias + 2);
            Rounded n = round_to_whole(inside + of.magic());
            return scale(exp2_of_small(inside - n.value), n);
        });
}

// 2^n (exp(r) - 1) + (2^n - 1).
Term expm1(Term x) {
    return choose(
        abs(x) < format_of(x).exp_normal,
        [&](Builder& in) {
            Reduced at = reduce(x.in(in));
            Term power = times_power(x.in(in).real(1.0), at.n);
            return with_sign(fma(small_expm1(at.rest), power, power - 1.0), x.in(in));  // keeps -0
        },
        // Above it the 1 is below the last bit.
        [&](Builder& in) { return select(x.in(in) < 0.0, -1.0, exp(x.in(in))); });
}

}  // namespace tsr::ir::math
