// log, log2, log10 and log1p of f32. x = 2^k m with 2/3 <= m < 4/3, and the logarithm of m is a polynomial of f = m
// - 1.
#include "ir/passes/math/f32/coefficients.h"
#include "ir/passes/math/functions.h"
#include "ir/passes/math/polynomial.h"
#include "ir/passes/math/split.h"

namespace tsr::ir::math::f32 {

namespace {

constexpr int64_t kExponent = -0x00800000;  // the bits of sign and exponent

// x = 2^k m with low <= m < 2 low, of a positive normal number; `low` as bits. Its k is multiplied by 2^23.
Split split_at(Term x, int64_t low) {
    Term bits = x.bits(DType::i32);
    Term power = (bits - bits.whole(low)) & bits.whole(kExponent);
    return {power.cast(DType::f32), (bits - power).bits(DType::f32) - 1.0};
}

}  // namespace

// The same with sqrt(1/2) <= m < sqrt(2), where x is 2^scaled times a number: k is that number's.
Split split_at_root(Term x, Term scaled) {
    Split at = split_at(x, 0x3F3504F3);
    return {fma(at.k, 0x1p-23, scaled), at.f};
}

// Positive, normal and below 2^126.
Term is_common(Term x) {
    Term bits = x.bits(DType::i32);
    Term above = bits + bits.whole(0x7F800000);  // such numbers come first
    return above < above.whole(INT32_MIN + 0x7E000000);
}

namespace {

constexpr int64_t kTwoThirds = 0x3F2AAAAB;       // the bits of 2/3
constexpr double kUnit = 1.1920928955078125e-7;  // 2^-23

// The logarithm that `of` computes as of k and f, for any x.
template <typename Of>
Term logarithm(Term x, Of of) {
    return usually(
        is_common(x),
        [&](Builder& in) {
            Split at = split_at(x.in(in), kTwoThirds);
            return of(at.k, at.f);
        },
        [&](Builder& in) {
            Term any = x.in(in);
            Term subnormal = any < 1.1754943508222875e-38;
            Split at = split_at(select(subnormal, any * 8388608.0, any), kTwoThirds);
            Term result = of(at.k - select(subnormal, any.real(23 * 8388608.0), any.real(0)), at.f);
            result = select(any == kInfinity, any, result);
            result = select(any > 0.0, result, kNan);
            return select(any == 0.0, -kInfinity, result);
        });
}

constexpr double kLog10Of2 = 0.301030009984970092773;  // log10(2) rounded to f32
constexpr double kLog10Of2Low = -1.4320988897e-8;      // the rest

Term natural(Term k, Term f) { return fma(f * f, one_chain(f, kLog), fma(k, 0.693147180559945309 * kUnit, f)); }

}  // namespace

Term log(Term x) { return logarithm(x, natural); }

Term log2(Term x) {
    return logarithm(x, [](Term k, Term f) { return fma(k, kUnit, fma(one_chain(f, kLog2), f, f)); });
}

Term log10(Term x) {
    return logarithm(x, [](Term k, Term f) {
        Term m = fma(one_chain(f, kLog10), f, f * 0.5);
        return fma(k, kLog10Of2 * kUnit, fma(k, kLog10Of2Low * kUnit, m));
    });
}

// The exponent is that of 1 + x, and 2^-k (1 + x) - 1 is computed from x, so that nothing is lost.
Term log1p(Term x) {
    Term sum = x + 1.0;
    return choose(
        is_common(sum),
        [&](Builder& in) {
            Term bits = sum.in(in).bits(DType::i32);
            // -k 2^23. Its sign and those of the products keep -0.
            Term power = (bits.whole(kTwoThirds + 0x007FFFFF) - bits) & bits.whole(kExponent);
            Term factor = (power + power.whole(0x3F800000)).bits(DType::f32);
            Term f = fma(x.in(in), factor, -(1.0 - factor));
            Term high = fma(power.cast(DType::f32), -0.693147180559945309 * kUnit, f);
            return fma(f * f, one_chain(f, kLog), high);
        },
        [&](Builder& in) { return f32::log(sum.in(in)); });
}

}  // namespace tsr::ir::math::f32
