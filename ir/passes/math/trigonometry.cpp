// sin, cos, tan and their inverses, of f64.
#include "ir/passes/math/coefficients.h"
#include "ir/passes/math/functions.h"

namespace tsr::ir::math {

namespace {

constexpr double kHalfPi = 1.5707963267948966;
constexpr double kHalfPiLow = 6.123233995736766e-17;
// What is left of pi/2 after the two above.
constexpr double kHalfPiRest = -1.4973849048591833e-33;

struct Quadrant {
    Term number;  // i64; its two low bits count
    Term angle;   // |angle| <= pi/4
};

// x - n pi/2. The first step is exact for every n below 2^53, so the whole is right for |x| < 2^52; beyond that
// an f64 has no fraction left and the result is the sine of some angle near.
Quadrant reduce(Term x) {
    Term n = round(x * 0.6366197723675814);
    Term angle = fma(n, -kHalfPi, x);
    angle = fma(n, -kHalfPiLow, angle);
    angle = fma(n, -kHalfPiRest, angle);
    return {n.cast(DType::i64), angle};
}

Term sine(Term r) {  // of a reduced angle
    Term z = r * r;
    return fma(polynomial(z, kSin64) * z, r, r);
}

Term cosine(Term r) {
    Term z = r * r;
    return fma(z * z, polynomial(z, kCos64), fma(z, -0.5, 1.0));
}

// sin(angle + (number + ahead) pi/2).
Term turned(const Quadrant& q, int64_t ahead) {
    Term quarter = q.number + q.number.whole(ahead);
    Term odd = (quarter & quarter.whole(1)) != quarter.whole(0);
    Term negative = (quarter & quarter.whole(2)) != quarter.whole(0);
    Term size = select(odd, cosine(q.angle), sine(q.angle));
    return select(negative, -size, size);
}

Term circular(Term x, int64_t ahead) {
    Term result = select(abs(x) < kInfinity, turned(reduce(x), ahead), kNan);
    return ahead == 0 ? select(x == 0.0, x, result) : result;  // keeps -0
}

}  // namespace

Term with_sign(Term size, Term sign) {
    Term bits = sign.bits(DType::i64);
    return (size.bits(DType::i64) | (bits & bits.whole(INT64_MIN))).bits(DType::f64);
}

Term sin(Term x) { return circular(x, 0); }
Term cos(Term x) { return circular(x, 1); }

Term tan(Term x) {
    Quadrant q = reduce(x);
    return select(abs(x) < kInfinity, turned(q, 0) / turned(q, 1), kNan);
}

namespace {

// atan of t in [-tan(pi/8), tan(pi/8)].
Term small_atan(Term t) {
    Term z = t * t;
    return fma(polynomial(z, kAtan64) * z, t, t);
}

// atan of a number that is not negative.
Term atan_size(Term size) {
    Term large = size > 2.414213562373095;
    Term middle = size > 0.4142135623730951;
    Term t = select(large, -1.0 / size, select(middle, (size - 1.0) / (size + 1.0), size));
    Term base = select(large, kHalfPi, select(middle, size.real(kHalfPi / 2), size.real(0)));
    Term low = select(large, kHalfPiLow, select(middle, size.real(kHalfPiLow / 2), size.real(0)));
    return base + (small_atan(t) + low);
}

// asin(s) - s over s, for s^2 = z <= 1/4.
Term asin_rest(Term z) { return polynomial(z, kAsin64) * z; }

}  // namespace

Term atan(Term x) { return with_sign(atan_size(abs(x)), x); }

Term atan2(Term y, Term x) {
    Term across = abs(x);
    Term up = abs(y);
    Term steep = up > across;
    Term small = select(steep, across, up);
    Term large = select(steep, up, across);
    Term ratio = select(small == large, 1.0, small / large);
    ratio = select(large == 0.0, 0.0, ratio);
    Term angle = atan_size(ratio);
    angle = select(steep, (kHalfPi - angle) + kHalfPiLow, angle);
    Term behind = x.bits(DType::i64) < x.bits(DType::i64).whole(0);
    angle = select(behind, (2 * kHalfPi - angle) + 2 * kHalfPiLow, angle);
    angle = with_sign(angle, y);
    return select((x != x) | (y != y), kNan, angle);
}

Term asin(Term x) {
    Term size = abs(x);
    Term near = fma(asin_rest(x * x), size, size);
    Term z = (1.0 - size) * 0.5;
    Term s = sqrt(z);
    Term far = kHalfPi - (fma(asin_rest(z), s, s) * 2.0 - kHalfPiLow);
    return with_sign(select(size > 0.5, far, near), x);
}

Term acos(Term x) {
    Term size = abs(x);
    Term middle = kHalfPi - (fma(asin_rest(x * x), x, x) - kHalfPiLow);
    Term z = (1.0 - size) * 0.5;
    Term s = sqrt(z);
    Term end = fma(asin_rest(z), s, s) * 2.0;
    Term far = select(x > 0.0, end, (2 * kHalfPi - end) + 2 * kHalfPiLow);
    return select(size > 0.5, far, middle);
}

}  // namespace tsr::ir::math
