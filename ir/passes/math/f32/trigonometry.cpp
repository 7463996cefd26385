// sin, cos and tan of f32.
#include <array>

#include "ir/passes/math/f32/coefficients.h"
#include "ir/passes/math/f32/exponential.h"
#include "ir/passes/math/f32/functions.h"

namespace tsr::ir::math::f32 {

namespace {

// Up to here three parts of pi are enough.
constexpr double kRealPi = 3.14159265358979323846;

constexpr double kLarge = 100000.0;

// Up to here the second part of pi/2 times the number of quarter turns has 24 bits.
constexpr double kLargeForTan = 8192.0;

// pi/2 as a sum of three numbers of f32, of which the second has 11 bits.
constexpr std::array kQuarterTurn{0x1.921fb4p+0, 0x1.444p-24, 0x1.68c234p-39};

// pi as a sum of three numbers of f32.
constexpr std::array kPi{0x1.921fb6p+1, -0x1.777a5cp-24, -0x1.ee59dap-49};

// An angle without the quarter turns in it: angle + low + number pi/2.
struct Quarters {
    Term angle;   // |angle| <= pi/4
    Term low;     // what the angle lost by rounding
    Term number;  // i32; its two low bits count
};

// x - n pi.
Term without_turns(Term x, Term n) {
    for (double piece : kPi) x = fma(n, -piece, x);
    return x;
}

// The bits of 2/pi, 32 in a word; the first word is of the whole number before it.
constexpr std::array<uint32_t, 8> kTwoOverPi{0x00000000, 0xA2F9836E, 0x4E441529, 0xFC2757D1,
                                             0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB};

// The fraction of |x| / (2 pi), in units of 2^-64 (M. Payne and R. Hanek, "Radian reduction for trigonometric
// functions", 1983): of the product of the significand with 2/pi only the bits around the point count.
Term turns_of(Term x) {
    Term bits = x.bits(DType::i32) & x.bits(DType::i32).whole(INT32_MAX);
    // Bits of 2/pi before this one make multiples of 4.
    Term begin = (bits >> 23) - bits.whole(120);
    Term word = begin >> 5;
    Term left = begin & begin.whole(31);
    Term right = begin.whole(31) - left;
    std::array<Term, 4> found{word, word, word, word};
    for (size_t i = 0; i < 4; ++i) {
        found[i] = word.whole(kTwoOverPi[i]).bits(DType::u32);
        for (size_t at = 1; at < 5; ++at) {
            if (at + i >= kTwoOverPi.size()) break;
            Term here = word.whole(kTwoOverPi[at + i]).bits(DType::u32);
            found[i] = select(word == word.whole(static_cast<int64_t>(at)), here, found[i]);
        }
    }
    Term significand = ((bits & bits.whole(0x007FFFFF)) | bits.whole(0x00800000)).bits(DType::u32).cast(DType::u64);
    std::array<Term, 3> products{significand, significand, significand};
    for (size_t i = 0; i < 3; ++i) {
        Term high = found[i] << left.bits(DType::u32);
        Term low = (found[i + 1] >> 1) >> right.bits(DType::u32);
        products[i] = significand * (high | low).cast(DType::u64);
    }
    return ((products[0] << 32) + products[1] + (products[2] >> 32)).cast(DType::i64);
}

Quarters quarters(Term x) {
    Term fraction = turns_of(x);
    Term number = (fraction + fraction.whole(int64_t{1} << 61)) >> 62;
    Term rest = (fraction << 2) >> 2;  // in units of 2^-62 quarters
    // The upper bits and the nearest 40 others are numbers of f32; the larger one of them becomes `high`.
    Term half = rest.whole(int64_t{1} << 39);
    Term below = ((rest + half) & rest.whole((int64_t{1} << 40) - 1)) - half;
    Term above = (rest - below).cast(DType::f32);
    Term others = below.cast(DType::f32);
    Term high = above + others;
    Term low = others - (high - above);
    const double factor = kRealPi / 2 * 0x1p-62;
    const double factor_high = static_cast<float>(factor);
    Term angle = high * factor_high;
    Term lost = fma(high, factor_high, -angle) + fma(low, factor_high, high * (factor - factor_high));
    return {angle, lost, number.cast(DType::i32)};
}

// sin(angle), its sign turned where `number` is odd.
Term sine(Term angle, Term number) {
    Term z = angle * angle;
    Term result = fma(polynomial(z, kSin), z * angle, angle);
    return (result.bits(DType::i32) ^ (number << 31)).bits(DType::f32);
}

// sin(angle + number pi/2).
Term sine_of_quarters(const Quarters& at) {
    Term z = at.angle * at.angle;
    Term sine = fma(polynomial(z, kSinQuarter), z * at.angle, at.low * fma(z, -0.5, 1.0)) + at.angle;
    Term cosine = fma(z, -0.5, fma(polynomial(z, kCosQuarter), z * z, -(at.low * at.angle))) + 1.0;
    Term size = select((at.number << 31) < at.number.whole(0), cosine, sine);
    Term sign = (at.number << 30) & at.number.whole(INT32_MIN);
    return (size.bits(DType::i32) ^ sign).bits(DType::f32);
}

// tan(angle + number pi/2). What is lost is subtracted, so that -0 stays.
Term tangent(const Quarters& at) {
    Term z = at.angle * at.angle;
    // The slope of the tangent is 1 + tan^2 = 1 + z + …
    Term less = -at.low;
    Term t = fma(polynomial_in_two(z, kTan), z * at.angle, -fma(less, z, less)) + at.angle;
    Term odd = (at.number << 31) < at.number.whole(0);
    return select(odd, -1.0 / t, t);
}

Term not_finite_is_nan(Term x, Term result) { return select(abs(x) < kInfinity, result, kNan); }

// `size` with its sign turned where x is negative.
Term times_sign(Term size, Term x) {
    Term sign = x.bits(DType::i32) & x.bits(DType::i32).whole(INT32_MIN);
    return (size.bits(DType::i32) ^ sign).bits(DType::f32);
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
        abs(x) < kLargeForTan,
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

}  // namespace tsr::ir::math::f32
