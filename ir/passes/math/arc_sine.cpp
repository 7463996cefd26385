// asin and acos.
#include "ir/passes/math/format.h"
#include "ir/passes/math/functions.h"

namespace tsr::ir::math {

namespace {

// asin(s) = s + rest, where s is |x|, or sqrt((1 - |x|) / 2) where that is above 1/2.
struct Half {
    Term large, s, rest;
};

Half half_of(Term x) {
    Term size = abs(x);
    Term large = size > 0.5;
    Term z = select(large, fma(size, -0.5, 0.5), size * size);
    Term s = select(large, sqrt(z), size);
    return {large, s, s * z * format_of(z).asin(z)};
}

}  // namespace

// Above 1/2: pi/2 - 2 asin(sqrt((1 - x) / 2)).
Term asin(Term x) {
    const Format& of = format_of(x);
    const auto [large, s, rest] = half_of(x);
    Term high = fma(s, -2.0, of.half_pi[0]);
    Term lost = fma(s, -2.0, of.half_pi[0] - high);
    Term far = high - (fma(rest, 2.0, -of.half_pi[1]) - lost);
    return with_sign(select(large, far, s + rest), x);
}

Term acos(Term x) {
    const Format& of = format_of(x);
    const auto [large, s, rest] = half_of(x);
    // asin of |x| in the middle; acos of |x| is twice s + rest at the ends.
    Term signed_s = with_sign(s, x);
    Term signed_rest = with_sign(rest, x);
    Term middle = (of.half_pi[0] - signed_s) - (signed_rest - of.half_pi[1]);
    Term twice = (signed_s + signed_rest) * 2.0;
    Term end = select(x < 0.0, (twice + 2 * of.half_pi[1]) + 2 * of.half_pi[0], twice);
    return select(large, end, middle);
}

}  // namespace tsr::ir::math
