// sin, cos and tan of f64.
#include <array>

#include "ir/passes/math/f64/coefficients.h"
#include "ir/passes/math/f64/exponential.h"
#include "ir/passes/math/f64/functions.h"
#include "ir/passes/math/f64/quarters.h"

namespace tsr::ir::math::f64 {

namespace {

constexpr double kRealPi = 3.14159265358979323846;

// Up to here three parts of pi are enough, and the second part of pi/2 times the number of quarter turns has 53 bits.
constexpr double kLarge = 0x1p24;

// pi as a sum of three numbers of f64.
constexpr std::array kPi{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53, -0x1.f1976b7ed8fbcp-109};

// pi/2 as a sum of three numbers of f64, of which the second has 28 bits.
constexpr std::array kQuarterTurn{0x1.921fb54442d18p+0, 0x1.1a62632p-54, 0x1.145c06e0e6895p-82};

// x - n pi.
Term without_turns(Term x, Term n) {
    for (double piece : kPi) x = fma(n, -piece, x);
    return x;
}

// sin(angle), its sign turned where `number` is odd.
Term sine(Term angle, Term number) {
    Term z = angle * angle;
    Term result = fma(polynomial_ending_in_one(z, kSin), z * angle, angle);
    return (result.bits(DType::i64) ^ (number << 63)).bits(DType::f64);
}

Term sine_of_small(const Quarters& at, Term z) {
    return fma(polynomial_in_two(z, kSinQuarter), z * at.angle, at.low * fma(z, -0.5, 1.0)) + at.angle;
}

Term cosine_of_small(const Quarters& at, Term z) {
    return fma(z, -0.5, fma(polynomial_in_two(z, kCosQuarter), z * z, -(at.low * at.angle))) + 1.0;
}

// sin(angle + number pi/2).
Term sine_of_quarters(const Quarters& at) {
    Term z = at.angle * at.angle;
    Term odd = (at.number << 63) < at.number.whole(0);
    Term size = select(odd, cosine_of_small(at, z), sine_of_small(at, z));
    Term sign = (at.number << 62) & at.number.whole(INT64_MIN);
    return (size.bits(DType::i64) ^ sign).bits(DType::f64);
}

// tan(angle + number pi/2). What is lost is subtracted, so that -0 stays.
Term tangent(const Quarters& at) {
    Term z = at.angle * at.angle;
    // The slope of the tangent is 1 + tan^2 = 1 + z + …
    Term less = -at.low;
    Term t = fma(polynomial_in_two(z, kTan), z * at.angle, -fma(less, z, less)) + at.angle;
    Term odd = (at.number << 63) < at.number.whole(0);
    return select(odd, -1.0 / t, t);
}

Term not_finite_is_nan(Term x, Term result) { return select(abs(x) < kInfinity, result, kNan); }

// `size` with its sign turned where x is negative.
Term times_sign(Term size, Term x) {
    Term sign = x.bits(DType::i64) & x.bits(DType::i64).whole(INT64_MIN);
    return (size.bits(DType::i64) ^ sign).bits(DType::f64);
}

Term sin_of_large(Term x) { return not_finite_is_nan(x, times_sign(sine_of_quarters(quarters(x)), x)); }

Term cos_of_large(Term x) {
    Quarters at = quarters(x);
    at.number = at.number + at.number.whole(1);
    return not_finite_is_nan(x, sine_of_quarters(at));
}

Term tan_of_large(Term x) { return not_finite_is_nan(x, times_sign(tangent(quarters(x)), x)); }

}  // namespace

Term sin(Term x) {
    return choose(
        abs(x) < kLarge,
        [&](Builder& in) {
            Term own = x.in(in);
            Rounded n = round_to_whole(fma(own, 1 / kRealPi, kMagic));
            Term result = sine(without_turns(own, n.value), n.shifted);
            return select(own == 0.0, own, result);  // keeps -0
        },
        [&](Builder& in) { return sin_of_large(x.in(in)); });
}

// cos(x) = sin((n + 1/2) pi - x), its sign turned where n is odd.
Term cos(Term x) {
    return choose(
        abs(x) < kLarge,
        [&](Builder& in) {
            Term own = x.in(in);
            Rounded n = round_to_whole(fma(own, 1 / kRealPi, -0.5) + kMagic);
            return sine(without_turns(-own, -(n.value + 0.5)), n.shifted);
        },
        [&](Builder& in) { return cos_of_large(x.in(in)); });
}

Term tan(Term x) {
    return choose(
        abs(x) < kLarge,
        [&](Builder& in) {
            Term own = x.in(in);
            Rounded n = round_to_whole(fma(own, 2 / kRealPi, kMagic));
            // The products of the first two parts are exact.
            Term high = fma(n.value, -kQuarterTurn[0], own);
            Term angle = fma(n.value, -kQuarterTurn[1], high);
            Term less = fma(n.value, kQuarterTurn[2], fma(n.value, kQuarterTurn[1], angle - high));
            return tangent({angle, -less, n.shifted});
        },
        [&](Builder& in) { return tan_of_large(x.in(in)); });
}

}  // namespace tsr::ir::math::f64
