#include "runtime/numbers/float_format.h"

#include <bit>
#include <cmath>
#include <limits>

namespace tsr::runtime {

namespace {

using Specials = FloatFormat::Specials;

constexpr FloatFormat kF64{64, 53, -1074, 0x7FEFFFFFFFFFFFFF, Specials::infinities, false};
constexpr FloatFormat kF32{32, 24, -149, 0x7F7FFFFF, Specials::infinities, false};
constexpr FloatFormat kF16{16, 11, -24, 0x7BFF, Specials::infinities, false};
constexpr FloatFormat kBf16{16, 8, -133, 0x7F7F, Specials::infinities, false};
constexpr FloatFormat kE4m3{8, 4, -9, 0x7E, Specials::nan_only, true};
constexpr FloatFormat kE5m2{8, 3, -16, 0x7B, Specials::infinities, true};
constexpr FloatFormat kE3m2{6, 3, -4, 0x1F, Specials::none, true};
constexpr FloatFormat kE2m3{6, 4, -3, 0x1F, Specials::none, true};
constexpr FloatFormat kE2m1{4, 2, -1, 0x7, Specials::none, true};

constexpr int kF64Payload = 52;

uint64_t sign_bit(const FloatFormat& format, bool negative) { return negative ? uint64_t{1} << (format.bits - 1) : 0; }

uint64_t overflow_code(const FloatFormat& format) {
    return format.specials == Specials::infinities && !format.saturates ? format.max_code + 1 : format.max_code;
}

// Sign and upper payload bits stay, the quiet bit is set. Formats of 8 bits or fewer have one NaN, as the conversion
// instructions of PTX give it: all ones, positive; where the format has none, the largest finite value.
uint64_t nan_code(const FloatFormat& format, double value) {
    if (format.specials == Specials::none) return format.max_code;
    if (format.saturates) return (uint64_t{1} << (format.bits - 1)) - 1;
    auto raw = std::bit_cast<uint64_t>(value);
    int fraction_bits = format.digits - 1;
    uint64_t payload = (raw & ((uint64_t{1} << kF64Payload) - 1)) >> (kF64Payload - fraction_bits);
    uint64_t quiet = uint64_t{1} << (fraction_bits - 1);
    return sign_bit(format, (raw >> 63) != 0) | (format.max_code + 1) | payload | quiet;
}

// magnitude * 2^-shift to an integer, 1 <= shift.
uint64_t round_shift(uint64_t magnitude, int shift, Rounding rounding) {
    uint64_t kept = shift >= 64 ? 0 : magnitude >> shift;
    uint64_t rest = shift >= 64 ? magnitude : magnitude & ((uint64_t{1} << shift) - 1);
    switch (rounding.mode) {
        case TSR_ROUND_TO_ZERO:
            return kept;
        case TSR_ROUND_NEAREST: {
            if (shift > 64) return kept;
            uint64_t half = uint64_t{1} << (shift - 1);
            return kept + (rest > half || (rest == half && (kept & 1)) ? 1 : 0);
        }
        case TSR_ROUND_STOCHASTIC: {
            uint64_t fraction = shift < 32 ? rest << (32 - shift) : shift < 96 ? rest >> (shift - 32) : 0;
            return kept + ((fraction + rounding.word) >> 32 ? 1 : 0);
        }
    }
    return kept;
}

}  // namespace

const FloatFormat& float_format(int32_t dtype) {
    switch (dtype) {
        case TSR_F64:
            return kF64;
        case TSR_F16:
            return kF16;
        case TSR_BF16:
            return kBf16;
        case TSR_FP8_E4M3:
            return kE4m3;
        case TSR_FP8_E5M2:
            return kE5m2;
        case TSR_FP6_E3M2:
            return kE3m2;
        case TSR_FP6_E2M3:
            return kE2m3;
        case TSR_FP4_E2M1:
            return kE2m1;
        default:
            return kF32;
    }
}

uint64_t encode(const FloatFormat& format, bool negative, uint64_t magnitude, int exponent, Rounding rounding) {
    if (magnitude == 0) return sign_bit(format, negative);
    const auto length = static_cast<int>(std::bit_width(magnitude));
    // The exponent of the last kept bit: the precision's, or the format's lowest.
    int last = exponent + length - format.digits;
    if (last < format.min_exponent) last = format.min_exponent;
    int shift = last - exponent;
    uint64_t kept = shift <= 0 ? magnitude << -shift : round_shift(magnitude, shift, rounding);
    // A carry out of the significand runs into the exponent field, which is the next value up.
    auto steps = static_cast<uint64_t>(last - format.min_exponent);
    uint64_t code = (steps << (format.digits - 1)) + kept;
    if (code > format.max_code) {
        code = rounding.mode == TSR_ROUND_TO_ZERO ? format.max_code : overflow_code(format);
    }
    return sign_bit(format, negative) | code;
}

uint64_t encode(const FloatFormat& format, double value, Rounding rounding) {
    if (std::isnan(value)) return nan_code(format, value);
    bool negative = std::signbit(value);
    if (std::isinf(value)) return sign_bit(format, negative) | overflow_code(format);
    auto raw = std::bit_cast<uint64_t>(value) & ~(uint64_t{1} << 63);
    int field = static_cast<int>(raw >> kF64Payload);
    uint64_t fraction = raw & ((uint64_t{1} << kF64Payload) - 1);
    if (field == 0) return encode(format, negative, fraction, -1074, rounding);
    return encode(format, negative, fraction | (uint64_t{1} << kF64Payload), field - 1075, rounding);
}

double decode(const FloatFormat& format, uint64_t code) {
    if (format.bits == 64) return std::bit_cast<double>(code);
    bool negative = (code >> (format.bits - 1)) & 1;
    uint64_t magnitude = code & ((uint64_t{1} << (format.bits - 1)) - 1);
    uint64_t sign = negative ? uint64_t{1} << 63 : 0;
    int fraction_bits = format.digits - 1;
    if (magnitude > format.max_code) {
        constexpr uint64_t kInfinity = uint64_t{0x7FF} << kF64Payload;
        constexpr uint64_t kQuiet = uint64_t{1} << (kF64Payload - 1);
        if (format.specials == Specials::infinities && magnitude == format.max_code + 1) {
            return std::bit_cast<double>(sign | kInfinity);
        }
        uint64_t payload = magnitude & ((uint64_t{1} << fraction_bits) - 1);
        return std::bit_cast<double>(sign | kInfinity | kQuiet | (payload << (kF64Payload - fraction_bits)));
    }
    auto field = static_cast<int>(magnitude >> fraction_bits);
    uint64_t fraction = magnitude & ((uint64_t{1} << fraction_bits) - 1);
    double value = field == 0 ? std::ldexp(static_cast<double>(fraction), format.min_exponent)
                              : std::ldexp(static_cast<double>(fraction | (uint64_t{1} << fraction_bits)),
                                           format.min_exponent + field - 1);
    return negative ? -value : value;
}

uint8_t encode_e8m0(double value) {
    if (std::isnan(value) || value < 0) return 255;
    if (value == 0) return 0;
    if (std::isinf(value)) return 254;
    int exponent = 0;
    double significand = std::frexp(value, &exponent) * 2;  // 1 <= significand < 2
    int code = exponent - 1 + 127;
    if (significand > 1.5 || (significand == 1.5 && (code & 1))) ++code;
    return static_cast<uint8_t>(code < 0 ? 0 : code > 254 ? 254 : code);
}

double decode_e8m0(uint8_t code) {
    if (code == 255) return std::numeric_limits<double>::quiet_NaN();
    return std::ldexp(1.0, code - 127);
}

}  // namespace tsr::runtime
