// Large angles of f64 by M. Payne and R. Hanek, "Radian reduction for trigonometric functions", 1983: of the product of
// the significand with 2/pi only the bits around the point count.
#include "ir/passes/math/quarters.h"

#include <array>
#include <utility>
#include <vector>

#include "ir/passes/math/format.h"

namespace tsr::ir::math::f64 {

namespace {

// The bits of 2/pi, 32 in a word; the first word is of the whole number before it.
constexpr std::array<int64_t, 40> kTwoOverPi{
    0x00000000, 0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB,
    0xDEBBC561, 0xB7246E3A, 0x424DD2E0, 0x06492EEA, 0x09D1921C, 0xFE1DEB1C, 0xB129A73E, 0xE88235F5,
    0x2EBB4484, 0xE99C7026, 0xB45F7E41, 0x3991D639, 0x835339F4, 0x9C845F8B, 0xBDF9283B, 0x1FF897FF,
    0xDE05980F, 0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF, 0x27CB09B7, 0x4F463F66, 0x9E5FEA2D, 0x7527BAC7,
    0xEBE5F17B, 0x3D0739F7, 0x8A5292EA, 0x6BFB5FB1, 0x1F8D5D08, 0x56033046, 0xFC7B6BAB, 0xF0CFBC20,
};
constexpr int64_t kWord = 0xFFFFFFFF;
constexpr size_t kWords = 6;  // of 2/pi that count: 53 bits beside 127 behind the point

// Words of 2/pi from bit `begin` on.
std::array<Term, kWords> words_from(Term begin) {
    Term first = begin >> 5;
    std::vector<Term> found;
    for (int64_t word : kTwoOverPi) found.push_back(first.whole(word));
    // Moved by each bit of the first word's number; of what is left over only so many words can still be asked for.
    for (int64_t step : {16, 8, 4, 2, 1}) {
        Term moves = (first & first.whole(step)) != first.whole(0);
        const size_t left = kWords + static_cast<size_t>(step);
        std::vector<Term> moved;
        for (size_t i = 0; i < left; ++i) {
            moved.push_back(select(moves, found[i + static_cast<size_t>(step)], found[i]));
        }
        found = std::move(moved);
    }
    Term shift = begin & begin.whole(31);
    std::array<Term, kWords> words{first, first, first, first, first, first};
    for (size_t i = 0; i < kWords; ++i) {
        words[i] = (((found[i] << 32) | found[i + 1]) << shift >> 32) & first.whole(kWord);
    }
    return words;
}

}  // namespace

Quarters quarters(Term x) {
    Term bits = x.bits(DType::i64) & x.bits(DType::i64).whole(INT64_MAX);
    // x is a whole significand times 2^(exponent - 1075). Bits of 2/pi before this one make multiples of 4.
    std::array<Term, kWords> words = words_from((bits >> 52) - bits.whole(1075 - 30));
    Term significand = (bits & bits.whole(0x000FFFFFFFFFFFFF)) | bits.whole(0x0010000000000000);
    Term low_half = significand & bits.whole(kWord);
    Term high_half = significand >> 32;
    // The product's words from the lowest on, each in the low half of an i64.
    std::array<Term, kWords> product{bits, bits, bits, bits, bits, bits};
    Term carry = bits.whole(0);
    Term before = bits.whole(0);
    for (size_t i = 0; i < kWords; ++i) {
        Term word = words[kWords - 1 - i];
        Term first = word * low_half;      // below 2^64, in the bits of an i64
        Term second = before * high_half;  // below 2^53
        Term logical = (first.bits(DType::u64) >> 32).bits(DType::i64);
        Term sum = (first & first.whole(kWord)) + (second & second.whole(kWord)) + (carry & carry.whole(kWord));
        product[i] = sum & sum.whole(kWord);
        carry = (sum >> 32) + logical + (second >> 32) + (carry >> 32);
        before = word;
    }
    // The two highest bits count quarters, what is behind them is the fraction, as a number with sign.
    Term top = product[5];
    Term number = (top + top.whole(0x20000000)) >> 30;
    Term fraction = (top << 34) >> 34;  // the sign is bit 29
    Term whole_part = fraction.cast(DType::f64) * 0x1p-30;
    Term second = product[4].cast(DType::f64) * 0x1p-62;
    Term others = fma(product[3].cast(DType::f64), 0x1p-94, product[2].cast(DType::f64) * 0x1p-126);
    // Sums of ever smaller numbers, so that what is lost is known.
    Term upper = whole_part + second;
    Term rest = (second - (upper - whole_part)) + others;
    Term high = upper + rest;
    Term low = rest - (high - upper);
    const auto& [half_pi, half_pi_low] = kF64.half_pi;
    Term angle = high * half_pi;
    return {angle, fma(high, half_pi, -angle) + fma(low, half_pi, high * half_pi_low), number};
}

}  // namespace tsr::ir::math::f64
