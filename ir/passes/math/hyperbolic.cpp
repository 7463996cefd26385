// sinh, cosh and tanh.
#include "ir/passes/math/exponential.h"
#include "ir/passes/math/functions.h"

namespace tsr::ir::math {

namespace {

// With x = n ln2 + r: exp(x) / 2 = up (cosh r + sinh r) and exp(-x) / 2 = down (cosh r - sinh r).
struct Halves {
    Term up;    // 2^(n-1)
    Term down;  // 2^(-n-1)
    Term cosh;  // cosh r - 1
    Term sinh;  // sinh r
};

Halves halves(Term x) {
    const Format& of = format_of(x);
    Reduced at = reduce(x);
    Term power = at.n.shifted << of.fraction_bits;
    Term half = power.whole(of.half_bits());
    Term z = at.rest * at.rest;
    return {as_float(half + power), as_float(half - power), of.cosh(z) * z, fma(at.rest * z, of.sinh(z), at.rest)};
}

// exp(|x|) / 2 where exp(-|x|) is below the last bit and exp(|x|) may overflow.
Term half_of_exp(Term x) {
    Term size = abs(x);
    const double infinity = format_of(x).half_exp_infinity;
    Reduced at = reduce(select(size > infinity, infinity, size));
    at.n.shifted = at.n.shifted - at.n.shifted.whole(2);
    Term quarter = times_power(exp_of_small(at.rest), at.n);
    return select(x == x, quarter + quarter, x);
}

}  // namespace

Term sinh(Term x) {
    return choose(
        abs(x) < format_of(x).half_exp_normal,
        [&](Builder& in) {
            Halves of = halves(x.in(in));
            // Written so that -0 stays: +0 is subtracted from it.
            Term difference = of.down - of.up;
            return fma(of.sinh, of.up + of.down, -(of.cosh * difference)) - difference;
        },
        [&](Builder& in) { return with_sign(half_of_exp(x.in(in)), x.in(in)); });
}

Term cosh(Term x) {
    return choose(
        abs(x) < format_of(x).half_exp_normal,
        [&](Builder& in) {
            Halves of = halves(x.in(in));
            Term sum = of.up + of.down;
            return (fma(of.sinh, of.up - of.down, of.cosh * sum) + of.down) + of.up;
        },
        [&](Builder& in) { return half_of_exp(x.in(in)); });
}

// Near 0 an odd polynomial; further 1 - 2q / (1 + q) with q = exp(-2|x|).
Term tanh(Term x) {
    const Format& of = format_of(x);
    Term size = abs(x);
    Term z = x * x;
    Term near = fma(of.tanh(z), z * size, size);
    Term power = select(size > of.tanh_one, of.tanh_one, size) * -2.8853900817779268;  // of 2; NaN stays
    Rounded n = round_to_whole(power + of.magic());
    Term rest = power - n.value;
    Term q = times_power(exp2_of_small(rest), n);
    Term far = 1.0 - (q + q) / (q + 1.0);
    return with_sign(select(size > 0.6, far, near), x);
}

}  // namespace tsr::ir::math
