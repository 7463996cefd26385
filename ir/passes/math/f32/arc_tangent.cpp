// atan and atan2 of f32.
#include "ir/passes/math/f32/coefficients.h"
#include "ir/passes/math/format.h"
#include "ir/passes/math/functions.h"

namespace tsr::ir::math::f32 {

namespace {

const auto& [kHalfPi, kHalfPiLow] = kF32.half_pi;

// atan(t) for 0 <= t <= 1.
Term small_atan(Term t) {
    Term z = t * t;
    return fma(t * z, one_chain(z, kAtan), t);
}

}  // namespace

Term atan(Term x) {
    Term size = abs(x);
    Term large = size > 1.0;
    Term angle = small_atan(select(large, 1.0 / size, size));
    return with_sign(select(large, (kHalfPi - angle) + kHalfPiLow, angle), x);
}

Term atan2(Term y, Term x) {
    Term across = abs(x);
    Term up = abs(y);
    Term steep = up > across;
    Term small = select(steep, across, up);
    Term large = select(steep, up, across);
    Term ratio = small / large;
    // Of 0/0 and inf/inf there is an angle, but no quotient.
    ratio = select(small == large, select(large == 0.0, large, 1.0), ratio);
    Term angle = small_atan(ratio);
    angle = select(steep, (kHalfPi - angle) + kHalfPiLow, angle);
    Term behind = x.bits(DType::i32) < x.bits(DType::i32).whole(0);
    angle = select(behind, (2 * kHalfPi - angle) + 2 * kHalfPiLow, angle);
    return with_sign(angle, y);
}

}  // namespace tsr::ir::math::f32
