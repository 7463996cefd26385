// log, log2, log10 and log1p of f64. x = 2^k m with sqrt(1/2) <= m < sqrt(2); with f = m - 1 and s = f / (2 + f),
// log m = 2 s + s^3 P(s^2) = f - s (f - s^2 P(s^2)), since 2 s = f - s f.
#include "ir/passes/math/f64/coefficients.h"
#include "ir/passes/math/format.h"
#include "ir/passes/math/functions.h"
#include "ir/passes/math/split.h"

namespace tsr::ir::math::f64 {

namespace {

// Bits whose exponent is k + 1023 where x is 2^k m with sqrt(1/2) <= m < sqrt(2).
constexpr int64_t kRootHalf = 0x3FE6A09E667F3BCD;
Term moved_bits(Term x) {
    Term bits = x.bits(DType::i64);
    return bits + bits.whole(0x3FF0000000000000 - kRootHalf);
}

// k as f64: below 2^52 a whole number is the low bits of its sum with 2^52.
Term exponent_of(Term moved) {
    Term k = moved.bits(DType::u64) >> 52;
    return (k | k.whole(0x4330000000000000)).bits(DType::f64) - (0x1p52 + 1023);
}

// Of a positive normal number.
Split split(Term x) {
    Term moved = moved_bits(x);
    Term m = (moved & moved.whole(0x000FFFFFFFFFFFFF)) + moved.whole(kRootHalf);
    return {exponent_of(moved), m.bits(DType::f64) - 1.0};
}

}  // namespace

// The same where x is 2^scaled times a number: k is that number's.
Split split_at_root(Term x, Term scaled) {
    Split at = split(x);
    return {at.k + scaled, at.f};
}

// Positive, normal and below 2^1022.
Term is_common(Term x) {
    Term bits = x.bits(DType::i64);
    Term above = bits + bits.whole(0x7FF0000000000000);  // such numbers come first
    return above < above.whole(INT64_MIN + 0x7FC0000000000000);
}

namespace {

// ln 2 in two parts; the first has enough zeros behind it that its multiples by exponents are exact.
constexpr double kLn2High = 0.693147180369123816490;
constexpr double kLn2Low = 1.90821492927058770002e-10;

struct Parts {
    Term k;
    Term f;
    Term correction;  // log m = f - correction
};

Parts log_parts(Term k, Term f) {
    Term s = f / (f + 2.0);
    Term z = s * s;
    return {k, f, s * fma(-z, two_chains(z, kLog), f)};
}

// The logarithm that `of` computes of its parts, for any x.
template <typename Of>
Term logarithm(Term x, Of of) {
    return usually(
        is_common(x),
        [&](Builder& in) {
            Split at = split(x.in(in));
            return of(log_parts(at.k, at.f));
        },
        [&](Builder& in) {
            Term any = x.in(in);
            Term subnormal = any < 2.2250738585072014e-308;
            Split at = split(select(subnormal, any * 0x1p52, any));
            Term result = of(log_parts(at.k - select(subnormal, any.real(52), any.real(0)), at.f));
            result = select(any == kInfinity, any, result);
            result = select(any > 0.0, result, kNan);
            return select(any == 0.0, -kInfinity, result);
        });
}

Term natural(const Parts& p) { return fma(p.k, kLn2High, p.f - (p.correction - p.k * kLn2Low)); }

}  // namespace

Term log(Term x) { return logarithm(x, natural); }

Term log2(Term x) {
    constexpr double kHigh = 1.4426950408889634;
    return logarithm(x, [](const Parts& p) { return fma(p.f, kHigh, -(p.correction * kHigh)) + p.k; });
}

Term log10(Term x) {
    constexpr double kHigh = 0.4342944819032518;
    constexpr double kTwoHigh = 0.30102999566406652;  // log10 2 with zeros behind it
    constexpr double kTwoLow = -8.5323443170571066e-14;
    return logarithm(x, [](const Parts& p) {
        Term small = fma(p.k, kTwoLow, -(p.correction * kHigh));
        return fma(p.k, kTwoHigh, fma(p.f, kHigh, small));
    });
}

// The exponent is that of 1 + x, and 2^-k (1 + x) - 1 is computed from x, so that nothing is lost.
Term log1p(Term x) {
    Term sum = x + 1.0;
    return choose(
        is_common(sum),
        [&](Builder& in) {
            Term moved = moved_bits(sum.in(in));
            Term exponent = moved & moved.whole(0x7FF0000000000000);
            Term factor = (moved.whole(0x7FE0000000000000) - exponent).bits(DType::f64);
            Term f = fma(x.in(in), factor, factor - 1.0);
            return with_sign(natural(log_parts(exponent_of(moved), f)), x.in(in));  // keeps -0
        },
        [&](Builder& in) { return f64::log(sum.in(in)); });
}

}  // namespace tsr::ir::math::f64
