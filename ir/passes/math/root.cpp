// 1 / sqrt(x).
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

}  // namespace tsr::ir::math
