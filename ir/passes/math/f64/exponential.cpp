// exp, exp2 and expm1 of f64. With x = n ln2 + r, |r| <= ln2/2, exp(x) is 2^n exp(r).
#include "ir/passes/math/f64/exponential.h"

#include "ir/passes/math/f64/coefficients.h"
#include "ir/passes/math/f64/functions.h"

namespace tsr::ir::math::f64 {

namespace {

// NaN stays.
Term clamp(Term x, double low, double high) {
    x = select(x > high, high, x);
    return select(x < low, low, x);
}

}  // namespace

Term scale(Term value, Rounded n) {
    auto two_to = [&](Term k) { return ((k + k.whole(1023)) << 52).bits(DType::f64); };
    Term power = n.shifted - n.shifted.whole(kMagicBits);
    Term half = power >> 1;
    return value * two_to(half) * two_to(power - half);
}

Term exp(Term x) {
    return usually(
        abs(x) < 708.0,
        [&](Builder& in) {
            Reduced at = reduce(x.in(in));
            return times_power(exp_of_small(at.rest), at.n);
        },
        [&](Builder& in) {
            Reduced at = reduce(clamp(x.in(in), -746.0, 710.0));
            return scale(exp_of_small(at.rest), at.n);
        });
}

Term exp2(Term x) {
    return usually(
        abs(x) < 1022.0,
        [&](Builder& in) {
            Rounded n = round_to_whole(x.in(in) + kMagic);
            return times_power(exp2_of_small(x.in(in)-n.value), n);
        },
        [&](Builder& in) {
            Term inside = clamp(x.in(in), -1076.0, 1025.0);
            Rounded n = round_to_whole(inside + kMagic);
            return scale(exp2_of_small(inside - n.value), n);
        });
}

// 2^n (exp(r) - 1) + (2^n - 1).
Term expm1(Term x) {
    return choose(
        abs(x) < 708.0,
        [&](Builder& in) {
            Reduced at = reduce(x.in(in));
            Term power = times_power(x.in(in).real(1.0), at.n);
            return with_sign(fma(small_expm1(at.rest), power, power - 1.0), x.in(in));  // keeps -0
        },
        // Above 708 the 1 is below the last bit.
        [&](Builder& in) { return select(x.in(in) < 0.0, -1.0, exp(x.in(in))); });
}

}  // namespace tsr::ir::math::f64
