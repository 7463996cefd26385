// Large angles of f32 by M. Payne and R. Hanek, "Radian reduction for trigonometric functions", 1983: of the product of
// the significand with 2/pi only the bits around the point count.
#include "ir/passes/math/quarters.h"

#include <array>

namespace tsr::ir::math::f32 {

namespace {

// The bits of 2/pi, 32 in a word; the first word is of the whole number before it.
constexpr std::array<uint32_t, 8> kTwoOverPi{0x00000000, 0xA2F9836E, 0x4E441529, 0xFC2757D1,
                                             0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB};

// The fraction of |x| / (2 pi), in units of 2^-64.
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

}  // namespace

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
    const double factor = 1.5707963267948966 * 0x1p-62;
    const double factor_high = static_cast<float>(factor);
    Term angle = high * factor_high;
    Term lost = fma(high, factor_high, -angle) + fma(low, factor_high, high * (factor - factor_high));
    return {angle, lost, number.cast(DType::i32)};
}

}  // namespace tsr::ir::math::f32
