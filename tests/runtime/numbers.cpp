// Conversions of every format against tables that are made here, from the definitions of the formats alone.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include <doctest/doctest.h>

#include "helpers.h"
#include "runtime/numbers/dtypes.h"
#include "runtime/numbers/number.h"

namespace tsr::runtime::tests {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Shape {
    int32_t dtype;
    int exponent_bits, fraction_bits, bias;
    char specials;  // 'i': all ones is infinity and NaN; 'n': only the highest code is NaN; '-': none
    bool saturates;
};
const Shape kShapes[] = {
    {TSR_F16, 5, 10, 15, 'i', false},    {TSR_BF16, 8, 7, 127, 'i', false},  {TSR_FP8_E4M3, 4, 3, 7, 'n', true},
    {TSR_FP8_E5M2, 5, 2, 15, 'i', true}, {TSR_FP6_E3M2, 3, 2, 3, '-', true}, {TSR_FP6_E2M3, 2, 3, 1, '-', true},
    {TSR_FP4_E2M1, 2, 1, 1, '-', true},
};

// The value of a code by the textbook formula.
double meaning(const Shape& s, unsigned code) {
    unsigned fraction = code & ((1u << s.fraction_bits) - 1);
    unsigned field = code >> s.fraction_bits & ((1u << s.exponent_bits) - 1);
    double sign = code >> (s.fraction_bits + s.exponent_bits) & 1 ? -1 : 1;
    unsigned ones = (1u << s.exponent_bits) - 1;
    if (s.specials == 'i' && field == ones) return fraction == 0 ? sign * kInfinity : kNaN;
    if (s.specials == 'n' && field == ones && fraction == (1u << s.fraction_bits) - 1) return kNaN;
    double unit = static_cast<double>(fraction) / (1u << s.fraction_bits);
    if (field == 0) return sign * std::ldexp(unit, 1 - s.bias);
    return sign * std::ldexp(1 + unit, static_cast<int>(field) - s.bias);
}

unsigned codes(const Shape& s) { return 1u << (1 + s.exponent_bits + s.fraction_bits); }

// Nearest-even by looking at all positive finite values.
class Oracle {
public:
    explicit Oracle(const Shape& s) : shape_(s) {
        for (unsigned code = 0; code < codes(s) / 2; ++code) {
            double value = meaning(s, code);
            if (std::isfinite(value)) values_.emplace_back(value, code);
        }
        std::ranges::sort(values_);
    }

    unsigned code(double value) const {
        unsigned sign = std::signbit(value) ? codes(shape_) / 2 : 0;
        return sign | magnitude(std::fabs(value));
    }

    const std::vector<std::pair<double, unsigned>>& positive() const { return values_; }

private:
    unsigned magnitude(double value) const {
        auto [largest, top] = values_.back();
        // Half a step above the largest value is where an unbounded format would go up.
        double step = largest - values_[values_.size() - 2].first;
        if (value >= largest) {
            bool beyond = value >= largest + step / 2;
            return beyond && !shape_.saturates ? top + 1 : top;
        }
        auto above = std::ranges::upper_bound(values_, value, {}, [](const auto& v) { return v.first; });
        auto below = above - 1;
        double middle = (below->first + above->first) / 2;  // exact: a bit more than the format has
        if (value < middle) return below->second;
        if (value > middle) return above->second;
        return below->second & 1 ? above->second : below->second;
    }

    Shape shape_;
    std::vector<std::pair<double, unsigned>> values_;
};

}  // namespace

TEST_CASE("every code of every narrow format has its value, and goes back to itself") {
    for (const Shape& s : kShapes) {
        CAPTURE(name(s.dtype));
        for (unsigned code = 0; code < codes(s); ++code) {
            double expected = meaning(s, code), found = tsr_bits_to_f64(code, s.dtype);
            CAPTURE(code);
            if (std::isnan(expected)) {
                REQUIRE(std::isnan(found));
                REQUIRE(std::isnan(tsr_bits_to_f64(tsr_f64_to_bits(found, s.dtype), s.dtype)));
                continue;
            }
            REQUIRE(std::bit_cast<uint64_t>(expected) == std::bit_cast<uint64_t>(found));
            if (std::isinf(expected) && s.saturates) continue;
            REQUIRE(tsr_f64_to_bits(found, s.dtype) == code);
        }
    }
}

TEST_CASE("rounding is to nearest, ties to even, at every boundary between neighbours") {
    for (const Shape& s : kShapes) {
        CAPTURE(name(s.dtype));
        Oracle oracle(s);
        const auto& positive = oracle.positive();
        for (size_t i = 0; i < positive.size(); ++i) {
            double low = positive[i].first;
            double step = i > 0 ? low - positive[i - 1].first : low;
            double high = i + 1 < positive.size() ? positive[i + 1].first : low + step;
            double middle = (low + high) / 2;
            for (double value : {low, std::nextafter(low, kInfinity), std::nextafter(middle, 0), middle,
                                 std::nextafter(middle, kInfinity), std::nextafter(high, 0)}) {
                for (double signed_value : {value, -value}) {
                    CAPTURE(signed_value);
                    REQUIRE(tsr_f64_to_bits(signed_value, s.dtype) == oracle.code(signed_value));
                }
            }
        }
    }
}

TEST_CASE("rounding of random values, from f64 and from f32") {
    Dice dice(7);
    for (const Shape& s : kShapes) {
        CAPTURE(name(s.dtype));
        Oracle oracle(s);
        for (int i = 0; i < 20000; ++i) {
            double wide = std::bit_cast<double>(dice.bits());
            auto single = std::bit_cast<float>(static_cast<uint32_t>(dice.bits() >> 20));
            double near = std::ldexp(static_cast<double>(dice.below(1 << 30)), static_cast<int>(dice.below(64)) - 60);
            for (double value : {wide, double{single}, near}) {
                if (!std::isfinite(value)) continue;
                CAPTURE(value);
                REQUIRE(tsr_f64_to_bits(value, s.dtype) == oracle.code(value));
            }
            if (!std::isfinite(single)) continue;
            REQUIRE(tsr_convert_bits(std::bit_cast<uint32_t>(single), TSR_F32, s.dtype) == oracle.code(single));
        }
    }
}

TEST_CASE("f32 is rounded as the processor rounds it") {
    Dice dice(8);
    for (int i = 0; i < 100000; ++i) {
        double value =
            i % 2 ? std::bit_cast<double>(dice.bits())
                  : std::ldexp(static_cast<double>(dice.bits() >> 11), static_cast<int>(dice.below(300)) - 230);
        if (std::isnan(value)) continue;
        CAPTURE(value);
        REQUIRE(tsr_f64_to_bits(value, TSR_F32) == std::bit_cast<uint32_t>(static_cast<float>(value)));
    }
}

TEST_CASE("overflow, infinities and NaN at the ends of each format") {
    CHECK(tsr_f64_to_bits(65520, TSR_F16) == 0x7C00);
    CHECK(tsr_f64_to_bits(65519.99, TSR_F16) == 0x7BFF);
    CHECK(tsr_f64_to_bits(-kInfinity, TSR_F16) == 0xFC00);
    CHECK(tsr_f64_to_bits(kInfinity, TSR_BF16) == 0x7F80);
    CHECK(tsr_f64_to_bits(1e6, TSR_FP8_E4M3) == 0x7E);
    CHECK(tsr_f64_to_bits(-kInfinity, TSR_FP8_E4M3) == 0xFE);
    CHECK(tsr_f64_to_bits(kInfinity, TSR_FP8_E5M2) == 0x7B);
    CHECK(tsr_f64_to_bits(-1e9, TSR_FP4_E2M1) == 0xF);
    CHECK(tsr_f64_to_bits(kNaN, TSR_FP8_E4M3) == 0x7F);
    CHECK(tsr_f64_to_bits(-kNaN, TSR_FP8_E4M3) == 0x7F);
    CHECK(tsr_f64_to_bits(kNaN, TSR_FP8_E5M2) == 0x7F);
    CHECK(tsr_f64_to_bits(-kNaN, TSR_FP8_E5M2) == 0x7F);
    CHECK(tsr_f64_to_bits(kNaN, TSR_FP6_E3M2) == 0x1F);
    CHECK(tsr_f64_to_bits(-kNaN, TSR_FP4_E2M1) == 0x7);
    // A NaN of f32 keeps its sign and upper payload, as the conversion instructions keep it.
    CHECK(tsr_convert_bits(0xFFA54321, TSR_F32, TSR_BF16) == 0xFFE5);
    CHECK(tsr_convert_bits(0x7F800001, TSR_F32, TSR_F16) == 0x7E00);
}

TEST_CASE("e8m0 holds powers of two") {
    for (unsigned code = 0; code < 255; ++code) {
        CHECK(tsr_bits_to_f64(code, TSR_E8M0) == std::ldexp(1.0, static_cast<int>(code) - 127));
        CHECK(tsr_f64_to_bits(std::ldexp(1.0, static_cast<int>(code) - 127), TSR_E8M0) == code);
    }
    CHECK(std::isnan(tsr_bits_to_f64(255, TSR_E8M0)));
    CHECK(tsr_f64_to_bits(1.49, TSR_E8M0) == 127);
    CHECK(tsr_f64_to_bits(1.5, TSR_E8M0) == 128);  // a tie: 127 is odd
    CHECK(tsr_f64_to_bits(3.0, TSR_E8M0) == 128);  // a tie: 128 is even
    CHECK(tsr_f64_to_bits(0, TSR_E8M0) == 0);
    CHECK(tsr_f64_to_bits(-1, TSR_E8M0) == 255);
    CHECK(tsr_f64_to_bits(1e300, TSR_E8M0) == 254);
}

TEST_CASE("integers: saturation from floats, wrapping from integers, exact ties to floats") {
    CHECK(tsr_f64_to_bits(-2.9, TSR_I32) == 0xFFFFFFFE);
    CHECK(tsr_f64_to_bits(3e9, TSR_I32) == 0x7FFFFFFF);
    CHECK(tsr_f64_to_bits(-1, TSR_U8) == 0);
    CHECK(tsr_f64_to_bits(kNaN, TSR_I64) == 0);
    CHECK(tsr_f64_to_bits(1e30, TSR_I64) == 0x7FFFFFFFFFFFFFFF);
    CHECK(tsr_f64_to_bits(-1e30, TSR_I64) == 0x8000000000000000);
    CHECK(tsr_f64_to_bits(1e30, TSR_U64) == 0xFFFFFFFFFFFFFFFF);
    CHECK(tsr_f64_to_bits(7.9, TSR_I4) == 7);
    CHECK(tsr_f64_to_bits(-9, TSR_I4) == 8);
    CHECK(tsr_convert_bits(0x1FF, TSR_I16, TSR_I8) == 0xFF);
    CHECK(tsr_convert_bits(0xFF, TSR_I8, TSR_I64) == ~uint64_t{0});
    CHECK(tsr_convert_bits(0xF, TSR_I4, TSR_I32) == 0xFFFFFFFF);
    CHECK(tsr_convert_bits(17, TSR_I32, TSR_I4) == 1);
    CHECK(tsr_convert_bits(0x100, TSR_I32, TSR_BOOL) == 1);
    // One rounding: through f64 this would be rounded twice and end on the even neighbour.
    uint64_t above_tie = (uint64_t{1} << 60) + (uint64_t{1} << 36) + 1;
    CHECK(tsr_convert_bits(above_tie, TSR_I64, TSR_F32) == std::bit_cast<uint32_t>(static_cast<float>(above_tie)));
    CHECK(tsr_convert_bits((uint64_t{1} << 60) + (uint64_t{1} << 49) + 1, TSR_I64, TSR_BF16) == 0x5D80);
    CHECK(tsr_convert_bits((uint64_t{1} << 60) + (uint64_t{1} << 52) + 1, TSR_I64, TSR_BF16) == 0x5D81);
}

TEST_CASE("rounding to zero and stochastic rounding") {
    const FloatFormat& bf16 = float_format(TSR_BF16);
    CHECK(encode(bf16, 1.99999, {TSR_ROUND_TO_ZERO, 0}) == 0x3FFF);
    CHECK(encode(bf16, 1e39, {TSR_ROUND_TO_ZERO, 0}) == 0x7F7F);
    // 1 + 2^-9 lies a quarter of the way up to the next bf16: it goes up for the upper quarter of all words.
    double value = 1 + 0x1p-9;
    CHECK(encode(bf16, value, {TSR_ROUND_STOCHASTIC, 0xBFFFFFFF}) == 0x3F80);
    CHECK(encode(bf16, value, {TSR_ROUND_STOCHASTIC, 0xC0000000}) == 0x3F81);
    CHECK(encode(bf16, -value, {TSR_ROUND_STOCHASTIC, 0xC0000000}) == 0xBF81);
    CHECK(encode(bf16, 1.0, {TSR_ROUND_STOCHASTIC, 0xFFFFFFFF}) == 0x3F80);
}

TEST_CASE("casts of tensors agree with conversions of single values") {
    Dice dice(9);
    for (int32_t from = 0; from < TSR_DTYPES; ++from) {
        for (int32_t to = 0; to < TSR_DTYPES; ++to) {
            CAPTURE(name(from));
            CAPTURE(name(to));
            TensorRef source(tsr_empty(from, std::vector<int64_t>{3, 5}.data(), 2, nullptr));
            for (int64_t i = 0; i < 15; ++i) {
                uint64_t bits = dice.bits() >> (64 - std::min(64, runtime::bits(from)));
                write_bits(*source, i / 5 * source->strides[0] + i % 5, from == TSR_BOOL ? bits & 1 : bits);
            }
            TensorRef turned(tsr_swap_last(source.get(), nullptr));
            TensorRef result(tsr_cast(turned.get(), to, TSR_ROUND_NEAREST, nullptr, nullptr));
            for (int64_t i = 0; i < 5; ++i) {
                for (int64_t j = 0; j < 3; ++j) {
                    int64_t at[] = {i, j}, back[] = {j, i};
                    uint64_t bits = tsr_get(source.get(), back, 2, nullptr);
                    if (!same_storage(from, to)) bits = tsr_convert_bits(bits, from, to);
                    REQUIRE(tsr_get(result.get(), at, 2, nullptr) == bits);
                }
            }
        }
    }
}

}  // namespace tsr::runtime::tests
