// sin, cos and tan.
#include "ir/passes/math/exponential.h"
#include "ir/passes/math/functions.h"
#include "ir/passes/math/quarters.h"

namespace tsr::ir::math {

namespace {

constexpr double kRealPi = 3.14159265358979323846;

// x - n pi.
Term without_turns(Term x, Term n) {
    for (double piece : format_of(x).pi) x = fma(n, -piece, x);
    return x;
}

// The lowest bit of an integer as its sign bit.
Term lowest_bit_as_sign(Term x) { return x << (x.type() == DType::i32 ? 31 : 63); }

// sin(angle), its sign turned where `number` is odd.
Term sine(Term angle, Term number) {
    Term z = angle * angle;
    Term result = fma(format_of(z).sin(z), z * angle, angle);
    return as_float(as_integer(result) ^ lowest_bit_as_sign(number));
}

Term sine_of_small(const Quarters& at, Term z) {
    return fma(format_of(z).sin_quarter(z), z * at.angle, at.low * fma(z, -0.5, 1.0)) + at.angle;
}

Term cosine_of_small(const Quarters& at, Term z) {
    return fma(z, -0.5, fma(format_of(z).cos_quarter(z), z * z, -(at.low * at.angle))) + 1.0;
}

// sin(angle + number pi/2).
Term sine_of_quarters(const Quarters& at) {
    Term z = at.angle * at.angle;
    Term odd = lowest_bit_as_sign(at.number) < at.number.whole(0);
    Term size = select(odd, cosine_of_small(at, z), sine_of_small(at, z));
    Term sign = lowest_bit_as_sign(at.number >> 1);
    return as_float(as_integer(size) ^ sign);
}

// tan(angle + number pi/2). What is lost is subtracted, so that -0 stays.
Term tangent(const Quarters& at) {
    Term z = at.angle * at.angle;
    // The slope of the tangent is 1 + tan^2 = 1 + z + …
    Term less = -at.low;
    Term t = fma(format_of(z).tan(z), z * at.angle, -fma(less, z, less)) + at.angle;
    Term odd = lowest_bit_as_sign(at.number) < at.number.whole(0);
    return select(odd, -1.0 / t, t);
}

Term not_finite_is_nan(Term x, Term result) { return select(abs(x) < kInfinity, result, kNan); }

// `size` with its sign turned where x is negative.
Term times_sign(Term size, Term x) {
    Term sign = as_integer(x) & as_integer(x).whole(format_of(x).sign_bit());
    return as_float(as_integer(size) ^ sign);
}

Quarters quarters(Term x) { return x.type() == DType::f32 ? f32::quarters(x) : f64::quarters(x); }

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
        abs(x) < format_of(x).large,
        [&](Builder& in) {
            Term own = x.in(in);
            Rounded n = round_to_whole(fma(own, 1 / kRealPi, format_of(own).magic()));
            Term result = sine(without_turns(own, n.value), n.shifted);
            return select(own == 0.0, own, result);  // keeps -0
        },
        [&](Builder& in) { return sin_of_large(x.in(in)); });
}

// cos(x) = sin((n + 1/2) pi - x), its sign turned where n is odd.
Term cos(Term x) {
    return choose(
        abs(x) < format_of(x).large,
        [&](Builder& in) {
            Term own = x.in(in);
            Rounded n = round_to_whole(fma(own, 1 / kRealPi, -0.5) + format_of(own).magic());
            return sine(without_turns(-own, -(n.value + 0.5)), n.shifted);
        },
        [&](Builder& in) { return cos_of_large(x.in(in)); });
}

Term tan(Term x) {
    const Format& of = format_of(x);
    return choose(
        abs(x) < of.large_for_tan,
        [&](Builder& in) {
            Term own = x.in(in);
            Rounded n = round_to_whole(fma(own, 2 / kRealPi, of.magic()));
            // The products of the first two parts are exact.
            Term high = fma(n.value, -of.quarter_turn[0], own);
            Term angle = fma(n.value, -of.quarter_turn[1], high);
            Term less = fma(n.value, of.quarter_turn[2], fma(n.value, of.quarter_turn[1], angle - high));
            return tangent({angle, -less, n.shifted});
        },
        [&](Builder& in) { return tan_of_large(x.in(in)); });
}

}  // namespace tsr::ir::math
