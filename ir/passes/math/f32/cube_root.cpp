// cbrt of f32.
#include "ir/passes/math/f32/coefficients.h"
#include "ir/passes/math/format.h"
#include "ir/passes/math/functions.h"
#include "ir/passes/math/polynomial.h"

namespace tsr::ir::math::f32 {

namespace {

// The cube root of a positive normal f32. A third of the exponent, negated, and of the leading bits of the fraction
// are those of z, a^(-1/3) within 3.5 %: a product with numbers and a sum that are a power of two smaller, so that the
// sum's last bits are the wanted ones. Then a^(1/3) = y (1 - r)^(-2/3), of y = a z^2 and r = 1 - y z.
Term cube_root(Term a) {
    constexpr int64_t kShift = 9;
    constexpr double kGuess = 11161851.0;  // 2^23 and what makes the largest r as far from 0 as the smallest
    const Term bits = as_integer(a).cast(DType::f32);
    const Term z = as_float(as_integer(fma(bits, -1.0 / (3 << kShift), kGuess)) << kShift);
    const Term y = (a * z) * z;
    const Term r = fma(-y, z, 1.0);
    return fma(y * r, one_chain(r, kCbrt), y);
}

}  // namespace

// The others, subnormal numbers multiplied by the cube of 2^8, are rare: who has none does not pay for them.
Term cbrt(Term x) {
    const auto of_normal = [](Term any, Term size) { return with_sign(cube_root(size), any); };
    const Term bits = as_integer(x);
    const Term above = ((bits & bits.whole(INT32_MAX)) - bits.whole(0x00800000)).bits(DType::u32);
    return usually(
        above < above.whole(0x7F000000), [&](Builder& in) { return of_normal(x.in(in), abs(x.in(in))); },
        [&](Builder& in) {
            const Term any = x.in(in);
            const Term size = abs(any);
            const Term tiny = size < kF32.least_normal();
            const Term root = cube_root(select(tiny, size * 0x1p24, size));
            const Term scaled = with_sign(select(tiny, root * 0x1p-8, root), any);
            return select(size < kInfinity, scaled, any);
        });
}

}  // namespace tsr::ir::math::f32
