// atan and atan2 of f64.
#include "ir/passes/math/f64/coefficients.h"
#include "ir/passes/math/format.h"
#include "ir/passes/math/functions.h"

namespace tsr::ir::math::f64 {

namespace {

const auto& [kHalfPi, kHalfPiLow] = kF64.half_pi;

// The angle of small / large, 0 <= small <= large. Above 1/2 it is pi/4 + atan((small - large) / (small + large)).
struct Angle {
    Term near;  // without the pi/4
    Term middle;
};

Angle angle_of(Term small, Term large) {
    Term middle = small > large * 0.5;
    Term t = select(middle, small - large, small) / select(middle, small + large, large);
    Term z = t * t;
    return {fma(t * z, two_chains(z, kAtan), t), middle};
}

// 0, pi/4 or pi/2, its rest, and the angle, turned where it counts from pi/2.
Term put_together(const Angle& of, Term steep) {
    Term near = select(steep, -of.near, of.near);
    Term begin = select(of.middle, kHalfPi / 2, select(steep, kHalfPi, near.real(0)));
    Term low = select(of.middle, kHalfPiLow / 2, select(steep, kHalfPiLow, near.real(0)));
    return begin + (near + low);
}

}  // namespace

Term atan(Term x) {
    Term size = abs(x);
    Term steep = size > 1.0;
    Term one = x.real(1.0);
    Angle of = angle_of(select(steep, one, size), select(steep, size, one));
    return with_sign(put_together(of, steep), x);
}

Term atan2(Term y, Term x) {
    Term across = abs(x);
    Term up = abs(y);
    Term steep = up > across;
    Term small = select(steep, across, up);
    Term large = select(steep, up, across);
    // Numbers whose sum would overflow, infinities and zeros: the quotient alone counts.
    Term equal = small == large;
    Term huge = large > 1.0e300;
    small = select(huge, small * 0x1p-60, small);
    large = select(huge, large * 0x1p-60, large);
    small = select(equal, select(large == 0.0, large, 1.0), small);
    large = select(equal, 1.0, large);
    Angle of = angle_of(small, large);
    Term angle = put_together(of, steep);
    Term behind = x.bits(DType::i64) < x.bits(DType::i64).whole(0);
    angle = select(behind, (2 * kHalfPi - angle) + 2 * kHalfPiLow, angle);
    return with_sign(angle, y);
}

}  // namespace tsr::ir::math::f64
