// cbrt of f64.
#include "ir/passes/math/format.h"
#include "ir/passes/math/functions.h"

namespace tsr::ir::math::f64 {

namespace {

// a^(-1/3) within 3.5 % for normal a: a third of the exponent, negated, and of the leading bits of the fraction. A
// third of 32 bits by their product with 2^32 / 3: vectors of processors have that product, but no conversion of 64-bit
// integers.
Term inverse_cbrt_guess(Term a) {
    const Term bits = a.bits(DType::u64) >> 32;
    const Term third = (bits * bits.whole(0x55555556)) >> 32;
    return ((bits.whole(0x553EF0FF) - third) << 32).bits(DType::f64);
}

}  // namespace

// By Newton's steps for z = a^(-1/3), which need no division, then one for y = a z^2 with the remainder a - y^3
// from a fused multiply-add: within 0.8 ulp.
Term cbrt(Term x) {
    const Term size = abs(x);
    // Subnormal numbers are multiplied by the cube of 2^18.
    const Term tiny = size < kF64.least_normal();
    const Term a = select(tiny, size * 0x1p54, size);
    Term z = inverse_cbrt_guess(a);
    for (int step = 0; step < 3; ++step) z = z * fma((a * z) * (z * z), -1.0 / 3, 4.0 / 3);
    const Term y = a * (z * z);
    const Term root = fma(fma(-(y * y), y, a), (z * z) * (1.0 / 3), y);
    const Term scaled = with_sign(select(tiny, root * 0x1p-18, root), x);
    return select(size < kInfinity, scaled, x);
}

}  // namespace tsr::ir::math::f64
