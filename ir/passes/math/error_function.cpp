// erf of f64. Near 0 an odd polynomial; further 1 - exp(-x^2) G(u) / x with u = (x - 3.5) / (x + 2.5).
#include "ir/passes/math/coefficients.h"
#include "ir/passes/math/functions.h"

namespace tsr::ir::math {

Term erf(Term x) {
    Term size = abs(x);
    Term near = x * polynomial(x * x, kErfSmall64);
    Term inside = select(size > 28.0, 28.0, size);
    Term square = inside * inside;
    Term lost = fma(inside, inside, -square);
    Term e = exp(-square);
    Term u = (inside - 3.5) / (inside + 2.5);
    Term tail = fma(e, -lost, e) * polynomial(u, kErfc64) / inside;
    return select(size < 1.0, near, with_sign(1.0 - tail, x));
}

}  // namespace tsr::ir::math
