// asin, acos, atan and atan2 of f32.
#include "ir/passes/math/f32/coefficients.h"
#include "ir/passes/math/f32/exponential.h"
#include "ir/passes/math/f32/functions.h"

namespace tsr::ir::math::f32 {

namespace {

constexpr double kHalfPi = 1.57079637050628662109375;  // pi/2 rounded to f32
constexpr double kHalfPiLow = -4.37113882867379e-8;    // the rest

// asin(s) - s for s^2 = z <= 1/4.
Term asin_rest(Term s, Term z) { return s * z * polynomial(z, kAsin); }

// atan(t) for 0 <= t <= 1.
Term small_atan(Term t) {
    Term z = t * t;
    return fma(t * z, polynomial(z, kAtan), t);
}

}  // namespace

// Above 1/2: pi/2 - 2 asin(sqrt((1 - x) / 2)).
Term asin(Term x) {
    Term size = abs(x);
    Term large = size > 0.5;
    Term z = select(large, fma(size, -0.5, 0.5), size * size);
    Term s = select(large, sqrt(z), size);
    Term rest = asin_rest(s, z);
    Term high = fma(s, -2.0, kHalfPi);
    Term lost = fma(s, -2.0, kHalfPi - high);
    Term far = high - (fma(rest, 2.0, -kHalfPiLow) - lost);
    return with_sign(select(large, far, s + rest), x);
}

Term acos(Term x) {
    Term size = abs(x);
    Term large = size > 0.5;
    Term z = select(large, fma(size, -0.5, 0.5), size * size);
    Term s = select(large, sqrt(z), size);
    Term rest = asin_rest(s, z);
    // asin of |x| in the middle; acos of |x| is twice s + rest at the ends.
    Term signed_s = with_sign(s, x);
    Term signed_rest = with_sign(rest, x);
    Term middle = (kHalfPi - signed_s) - (signed_rest - kHalfPiLow);
    Term twice = (signed_s + signed_rest) * 2.0;
    Term end = select(x < 0.0, (twice + 2 * kHalfPiLow) + 2 * kHalfPi, twice);
    return select(large, end, middle);
}

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
