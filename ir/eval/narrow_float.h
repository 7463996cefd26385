// Conversions of floats of 16 bits or fewer, written from the formats alone: an oracle for every other implementation.
// Formats: IEEE 754 binary16; bfloat16; OCP 8-bit floating point (E4M3, E5M2); OCP microscaling (fp6, fp4, E8M0).
#pragma once

#include <bit>
#include <cstdint>

namespace tsr::ir::eval {
namespace {  // each instruction set compiles its own copy: they must not be merged by the linker

struct FloatFormat {
    int significand;    // stored bits
    int min_exponent;   // of the smallest normal number
    uint32_t sign;      // the sign's bit
    uint32_t largest;   // code of the largest finite value
    uint32_t overflow;  // code that a value past the largest gets: infinity, or the largest itself
    uint32_t infinity;  // code of infinity; 0: the format has none
    uint32_t nan;       // code of a quiet NaN; 0: the format has none
    int payload;        // bits of a NaN's payload that are kept, below the quiet bit
};

constexpr FloatFormat kF16{10, -14, 0x8000, 0x7BFF, 0x7C00, 0x7C00, 0x7E00, 9};
constexpr FloatFormat kBF16{7, -126, 0x8000, 0x7F7F, 0x7F80, 0x7F80, 0x7FC0, 6};
constexpr FloatFormat kE4M3{3, -6, 0x80, 0x7E, 0x7E, 0, 0x7F, 0};
constexpr FloatFormat kE5M2{2, -14, 0x80, 0x7B, 0x7B, 0x7C, 0x7E, 1};
constexpr FloatFormat kE3M2{2, -2, 0x20, 0x1F, 0x1F, 0, 0, 0};
constexpr FloatFormat kE2M3{3, 0, 0x20, 0x1F, 0x1F, 0, 0, 0};
constexpr FloatFormat kE2M1{1, 0, 0x08, 0x07, 0x07, 0, 0, 0};

constexpr uint64_t kDoubleFraction = (uint64_t{1} << 52) - 1;
constexpr uint64_t kDoubleInfinity = uint64_t{0x7FF} << 52;

// The code nearest to `value`, ties to the even code; one rounding.
constexpr uint32_t encode(const FloatFormat& format, double value) {
    const auto all = std::bit_cast<uint64_t>(value);
    const uint32_t sign = (all >> 63) != 0 ? format.sign : 0;
    const uint64_t magnitude = all & ~(uint64_t{1} << 63);
    if (magnitude > kDoubleInfinity) {
        if (format.nan == 0) return format.largest;
        if (format.overflow == format.largest) return format.sign - 1;  // 8 bits or fewer: one NaN, all ones
        const auto payload = static_cast<uint32_t>((magnitude & (kDoubleFraction >> 1)) >> (51 - format.payload));
        return sign | format.nan | payload;
    }
    if (magnitude == kDoubleInfinity) return sign | format.overflow;
    const int exponent = static_cast<int>(magnitude >> 52) - 1023;
    if (exponent == -1023) return sign;  // a subnormal double is below half of every format's smallest value
    const int below = exponent < format.min_exponent ? format.min_exponent - exponent : 0;
    const int shift = 52 - format.significand + below;
    if (shift > 53) return sign;
    const uint64_t significand = (magnitude & kDoubleFraction) | (uint64_t{1} << 52);
    uint64_t kept = significand >> shift;
    const uint64_t rest = significand - (kept << shift);
    const uint64_t half = uint64_t{1} << (shift - 1);
    if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
    // The hidden bit counts up the exponent field; so does a carry out of the significand.
    const uint64_t field = below != 0 ? 0 : static_cast<uint64_t>(exponent - format.min_exponent);
    const uint64_t code = (field << format.significand) + kept;
    return sign | (code > format.largest ? format.overflow : static_cast<uint32_t>(code));
}

// Exact: every value of every format is a float.
constexpr float decode(const FloatFormat& format, uint32_t code) {
    const bool negative = (code & format.sign) != 0;
    const uint32_t magnitude = code & (format.sign - 1);
    if (magnitude > format.largest) {
        const uint32_t payload = magnitude & ((uint32_t{1} << format.payload) - 1);
        const bool infinite = format.infinity != 0 && magnitude == format.infinity;
        const uint32_t bits = infinite ? 0x7F800000U : 0x7FC00000U | payload << (22 - format.payload);
        return std::bit_cast<float>(bits | (negative ? 0x80000000U : 0U));
    }
    const auto field = static_cast<int>(magnitude >> format.significand);
    const uint32_t fraction = magnitude & ((uint32_t{1} << format.significand) - 1);
    const uint32_t whole = field == 0 ? fraction : fraction | (uint32_t{1} << format.significand);
    const int exponent = (field == 0 ? format.min_exponent : format.min_exponent + field - 1) - format.significand;
    // As a double, where every power of two that occurs is normal; the value itself fits a float.
    const auto scale = std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
    const auto value = static_cast<float>(static_cast<double>(whole) * scale);
    return negative ? -value : value;
}

// A power of two without sign: code 0 is 2^-127, code 254 is 2^127, code 255 NaN.
constexpr uint32_t encode_e8m0(double value) {
    if (!(value >= 0)) return 0xFF;
    const auto bits = std::bit_cast<uint64_t>(value) & ~(uint64_t{1} << 63);
    int code = static_cast<int>(bits >> 52) - 1023 + 127;
    if (code < 0) return 0;
    const uint64_t fraction = bits & kDoubleFraction;
    const uint64_t half = uint64_t{1} << 51;  // 1.5 lies in the middle between 1 and 2
    if (fraction > half || (fraction == half && (code & 1) != 0)) ++code;
    return code > 254 ? 254 : static_cast<uint32_t>(code);
}

constexpr float decode_e8m0(uint32_t code) {
    if (code == 0xFF) return std::bit_cast<float>(0x7FC00000U);
    if (code == 0) return std::bit_cast<float>(0x00400000U);
    return std::bit_cast<float>(code << 23);
}

}  // namespace
}  // namespace tsr::ir::eval
