// erf of f32. Near 0 an odd polynomial; further one around the middle.
#include "ir/passes/math/f32/coefficients.h"
#include "ir/passes/math/format.h"
#include "ir/passes/math/functions.h"

namespace tsr::ir::math::f32 {

Term erf(Term x) {
    Term size = abs(x);
    Term near = fma(one_chain(x * x, kErfNear), x, x);
    Term inside = select(size > 3.925, 3.925, size);  // NaN stays
    Term t = inside - 2.425;
    Term far = fma(two_chains(t, kErfFar), t, 0.99939525127410888671875);
    return select(size < 0.925, near, with_sign(far, x));
}

}  // namespace tsr::ir::math::f32
