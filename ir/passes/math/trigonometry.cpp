// sin, cos, tan and their inverses.
#include <array>
#include <cmath>

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
    Term angle;   // f64, |angle| <= pi/4
};

// x - n pi/2 in f64. The first step is exact for every n below 2^53, so the whole is right for |x| < 2^52; beyond that
// an f64 has no fraction left and the result is the sine of some angle near.
Quadrant reduce(Term x) {
    Term n = round(x * 0.6366197723675814);
    Term angle = fma(n, -kHalfPi, x);
    angle = fma(n, -kHalfPiLow, angle);
    angle = fma(n, -kHalfPiRest, angle);
    return {n.cast(DType::i64), angle};
}

// 2/pi in pieces of 26 bits: a piece times an f32 is exact in f64, and what is a multiple of 4 drops out.
constexpr std::array kTwoOverPi{
    0x1.45f3068000000p-1,   0x1.7272208000000p-27,  0x1.4a7f090000000p-54,  0x1.abe8fa8000000p-79,
    0x1.a6ee060000000p-107, 0x1.b629590000000p-132, 0x1.2788720000000p-157,
};

// The same for f32 of any size: x (2/pi) mod 4, piece by piece.
Quadrant reduce_huge(Term x) {
    Term turns = x.real(0);
    for (double piece : kTwoOverPi) {
        Term product = x * piece;
        Term rest = product - floor(product * 0.25) * 4.0;
        turns = turns + rest;
        turns = select(turns > 4.0, turns - 4.0, turns);
    }
    Term n = round(turns);
    return {n.cast(DType::i64), (turns - n) * kHalfPi};
}

Term sine(Term r) {  // of a reduced angle, at the precision of its type
    Term z = r * r;
    Term p = r.type() == DType::f32 ? polynomial(z, kSin32) : polynomial(z, kSin64);
    return fma(p * z, r, r);
}

Term cosine(Term r) {
    Term z = r * r;
    Term p = r.type() == DType::f32 ? polynomial(z, kCos32) : polynomial(z, kCos64);
    return fma(z * z, p, fma(z, -0.5, 1.0));
}

// sin(angle + (number + ahead) pi/2).
Term turned(Quadrant q, int64_t ahead, DType type) {
    Term quarter = q.number + q.number.whole(ahead);
    Term angle = q.angle.cast(type);
    Term odd = (quarter & quarter.whole(1)) != quarter.whole(0);
    Term negative = (quarter & quarter.whole(2)) != quarter.whole(0);
    Term size = select(odd, cosine(angle), sine(angle));
    return select(negative, -size, size);
}

Term circular(Term x, int64_t ahead) {
    Term wide = x.cast(DType::f64);
    Term near = turned(reduce(wide), ahead, x.type());
    auto with_ends = [&](Term result) {
        result = select(abs(x) < INFINITY, result, std::nan(""));
        return ahead == 0 ? select(x == 0.0, x, result) : result;  // keeps -0
    };
    if (x.type() != DType::f32) return with_ends(near);
    // Few programs ever get here.
    Term huge = abs(x) > 1.0e15;
    return with_ends(choose(
        huge, [&](Builder& in) { return turned(reduce_huge(Term{&in, wide.id}), ahead, DType::f32); },
        [&](Builder&) { return near; }));
}

}  // namespace

Term with_sign(Term size, Term sign) {
    DType bits = size.type() == DType::f32 ? DType::i32 : DType::i64;
    Term mask = sign.bits(bits) & sign.bits(bits).whole(bits == DType::i32 ? INT32_MIN : INT64_MIN);
    return (size.bits(bits) | mask).bits(size.type());
}

Term sin(Term x) { return circular(x, 0); }
Term cos(Term x) { return circular(x, 1); }

Term tan(Term x) {
    if (x.type() == DType::f32) {
        // The quotient of the f32 functions would be off by three units; that of the same angle in f64 is not.
        Term wide = x.cast(DType::f64);
        Quadrant q = reduce(wide);
        Term near = (turned(q, 0, DType::f64) / turned(q, 1, DType::f64)).cast(DType::f32);
        Term far = sin(x) / cos(x);
        return select(abs(x) > 1.0e15, far, near);
    }
    Quadrant q = reduce(x);
    return select(abs(x) < INFINITY, turned(q, 0, DType::f64) / turned(q, 1, DType::f64), std::nan(""));
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

Term atan(Term x) {
    if (x.type() == DType::f32) return atan(x.cast(DType::f64)).cast(DType::f32);
    return with_sign(atan_size(abs(x)), x);
}

Term atan2(Term y, Term x) {
    if (x.type() == DType::f32) return atan2(y.cast(DType::f64), x.cast(DType::f64)).cast(DType::f32);
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
    return select((x != x) | (y != y), std::nan(""), angle);
}

Term asin(Term x) {
    if (x.type() == DType::f32) return asin(x.cast(DType::f64)).cast(DType::f32);
    Term size = abs(x);
    Term near = fma(asin_rest(x * x), size, size);
    Term z = (1.0 - size) * 0.5;
    Term s = sqrt(z);
    Term far = kHalfPi - (fma(asin_rest(z), s, s) * 2.0 - kHalfPiLow);
    return with_sign(select(size > 0.5, far, near), x);
}

Term acos(Term x) {
    if (x.type() == DType::f32) return acos(x.cast(DType::f64)).cast(DType::f32);
    Term size = abs(x);
    Term middle = kHalfPi - (fma(asin_rest(x * x), x, x) - kHalfPiLow);
    Term z = (1.0 - size) * 0.5;
    Term s = sqrt(z);
    Term end = fma(asin_rest(z), s, s) * 2.0;
    Term far = select(x > 0.0, end, (2 * kHalfPi - end) + 2 * kHalfPiLow);
    return select(size > 0.5, far, middle);
}

}  // namespace tsr::ir::math
