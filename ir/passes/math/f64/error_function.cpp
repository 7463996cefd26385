// erf of f64. Near 0 an odd polynomial; further 1 - exp(-x^2) G(u) / x with u = (x - 3.5) / (x + 2.5).
#include "ir/passes/math/exponential.h"
#include "ir/passes/math/f64/coefficients.h"
#include "ir/passes/math/functions.h"

namespace tsr::ir::math::f64 {

Term erf(Term x) {
    Term size = abs(x);
    Term near = fma(two_chains(x * x, kErfNear), x, x);
    Term inside = select(size > 6.0, 6.0, size);  // NaN stays
    Term square = inside * inside;
    Term lost = fma(inside, inside, -square);
    Reduced at = reduce(-square);
    Term e = exp_of_small(at.rest);
    Term divisor = inside + 2.5;
    Term inverse = 1.0 / (divisor * inside);
    Term u = (inside - 3.5) * (inverse * inside);
    Term tail = fma(e, -lost, e) * two_chains(u, kErfc) * (inverse * divisor);
    Term power = times_power(x.real(1.0), at.n);
    return select(size < 1.0, near, with_sign(fma(tail, -power, 1.0), x));
}

}  // namespace tsr::ir::math::f64
