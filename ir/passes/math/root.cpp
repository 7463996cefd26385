// Roots.
#include "ir/passes/math/format.h"
#include "ir/passes/math/functions.h"

namespace tsr::ir::math {

// In f32 by iteration from a guess at the exponent, which takes a third of what the machine's division and square root
// do and gives the same bits everywhere.
Term rsqrt(Term x) {
    if (x.type() != DType::f32) return 1.0 / sqrt(x);
    Term bits = x.bits(DType::i32);
    // Halving and negating the exponent, and one step with constants that spread its error: within 6.6e-4
    // (J. Kadlec, "Improving the fast inverse square root", 2010).
    Term guess = (bits.whole(0x5F1FFFF9) - (bits >> 1)).bits(DType::f32);
    Term y = guess * fma(-(x * 0.703952253 * guess), guess, 0.703952253 * 2.38924456);
    // With r = 1 - x y^2: 1/sqrt(x) = y (1 + r/2 + 3/8 r^2 + …).
    Term r = fma(-(x * y), y, 1.0);
    Term fast = fma(y * r, fma(r, 0.375, 0.5), y);
    // Zeros, subnormal and infinite numbers, negative ones and NaN are the bit patterns outside of one range; they are
    // rare, so who has none does not pay for them.
    Term above = (bits - bits.whole(0x00800000)).bits(DType::u32);
    Term normal = above < above.whole(0x7F000000);
    return choose(normal, [&](Builder&) { return fast; }, [&](Builder& in) { return 1.0 / sqrt(Term{&in, x.id}); });
}

namespace {

// a^(-1/3) within 3.5 % for normal a: a third of the exponent, negated, and of the leading bits of the fraction.
Term inverse_cbrt_guess(Term a) {
    if (a.type() == DType::f32) {
        const Term bits = as_integer(a).cast(DType::f32);
        return as_float(fma(bits, -1.0 / 3, 0x54A2FA80).cast(DType::i32));
    }
    // A third of 32 bits by their product with 2^32 / 3: vectors of processors have that product, but no conversion of
    // 64-bit integers.
    const Term bits = a.bits(DType::u64) >> 32;
    const Term third = (bits * bits.whole(0x55555556)) >> 32;
    return ((bits.whole(0x553EF0FF) - third) << 32).bits(DType::f64);
}

}  // namespace

// Newton's steps for z = a^(-1/3), which need no division, then one for y = a z^2 with the remainder a - y^3 from a
// fused multiply-add: within 0.8 ulp.
Term cbrt(Term x) {
    const bool single = x.type() == DType::f32;
    const Term size = abs(x);
    // Subnormal numbers are multiplied by the cube of 2^8 or 2^18.
    const Term tiny = size < format_of(x).least_normal();
    const Term a = select(tiny, size * (single ? 0x1p24 : 0x1p54), size);
    Term z = inverse_cbrt_guess(a);
    for (int step = 0; step < (single ? 2 : 3); ++step) z = z * fma((a * z) * (z * z), -1.0 / 3, 4.0 / 3);
    const Term y = a * (z * z);
    const Term root = fma(fma(-(y * y), y, a), (z * z) * (1.0 / 3), y);
    const Term scaled = with_sign(select(tiny, root * (single ? 0x1p-8 : 0x1p-18), root), x);
    return select(size < kInfinity, scaled, x);
}

}  // namespace tsr::ir::math
