#include "ir/law/float_format.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "ir/core/internal.h"

namespace tsr::ir {

namespace {

enum class Specials : uint8_t {
    ieee,       // the highest exponent: infinity, NaN
    last_code,  // NaN alone, at the code of all ones (e4m3)
    none,
};

struct Format {
    int exponent_bits;
    int fraction_bits;
    int bias;
    Specials specials;
    bool saturates;

    [[nodiscard]] uint64_t sign_bit() const { return uint64_t{1} << (exponent_bits + fraction_bits); }
    [[nodiscard]] uint64_t infinity() const { return ((uint64_t{1} << exponent_bits) - 1) << fraction_bits; }
    [[nodiscard]] uint64_t largest() const {
        switch (specials) {
            case Specials::ieee:
                return infinity() - 1;
            case Specials::last_code:
                return sign_bit() - 2;
            case Specials::none:
                return sign_bit() - 1;
        }
        return 0;
    }
    [[nodiscard]] uint64_t nan() const {
        switch (specials) {
            case Specials::ieee:
                return saturates ? sign_bit() - 1 : infinity() | (uint64_t{1} << (fraction_bits - 1));
            case Specials::last_code:
                return sign_bit() - 1;
            case Specials::none:
                return largest();
        }
        return 0;
    }
};

Format format_of(DType type) {
    switch (type) {
        case DType::f64:
            return {11, 52, 1023, Specials::ieee, false};
        case DType::f32:
            return {8, 23, 127, Specials::ieee, false};
        case DType::f16:
            return {5, 10, 15, Specials::ieee, false};
        case DType::bf16:
            return {8, 7, 127, Specials::ieee, false};
        case DType::fp8_e4m3:
            return {4, 3, 7, Specials::last_code, true};
        case DType::fp8_e5m2:
            return {5, 2, 15, Specials::ieee, true};
        case DType::fp6_e3m2:
            return {3, 2, 3, Specials::none, true};
        case DType::fp6_e2m3:
            return {2, 3, 1, Specials::none, true};
        case DType::fp4_e2m1:
            return {2, 1, 1, Specials::none, true};
        case DType::boolean:
        case DType::i4:
        case DType::i8:
        case DType::i16:
        case DType::i32:
        case DType::i64:
        case DType::u8:
        case DType::u16:
        case DType::u32:
        case DType::u64:
        case DType::index:
        case DType::e8m0:
        case DType::c64:
            break;
    }
    internal_error("no floating-point format");
}

constexpr uint64_t kScaleNan = 0xff;
constexpr int kScaleBias = 127;

// significand * 2^exponent without its sign, rounded to nearest even.
uint64_t encode_magnitude(const Format& format, uint64_t significand, int exponent) {
    if (significand == 0) return 0;
    const int top = static_cast<int>(std::bit_width(significand)) - 1;
    const int least = 1 - format.bias;  // exponent of the smallest normal number
    const int scale = std::max(top + exponent, least);
    const int drop = scale - format.fraction_bits - exponent;  // bits below the last one kept
    uint64_t kept = 0;
    if (drop <= 0) {
        kept = significand << -drop;
    } else if (drop <= 64) {
        kept = drop == 64 ? 0 : significand >> drop;
        const uint64_t half = uint64_t{1} << (drop - 1);
        const uint64_t rest = drop == 64 ? significand : significand & ((half << 1) - 1);
        if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
    }
    // The hidden bit of a normal number adds one to the exponent field, a carry of the rounding too.
    const uint64_t code = (static_cast<uint64_t>(scale - least) << format.fraction_bits) + kept;
    if (code <= format.largest()) return code;
    return format.saturates ? format.largest() : format.infinity();
}

uint64_t encode_scale(uint64_t significand, int exponent) {
    if (significand == 0) return 0;
    const int top = static_cast<int>(std::bit_width(significand)) - 1;
    int code = top + exponent + kScaleBias;
    const uint64_t rest = significand - (uint64_t{1} << top);
    const uint64_t half = top == 0 ? 1 : uint64_t{1} << (top - 1);
    if (rest > half || (rest == half && (code & 1) != 0)) ++code;
    return static_cast<uint64_t>(std::clamp(code, 0, 254));
}

}  // namespace

double decode_float(DType type, uint64_t bits) {
    if (type == DType::f64) return std::bit_cast<double>(bits);
    if (type == DType::f32) return std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (type == DType::e8m0) {
        return bits == kScaleNan ? std::numeric_limits<double>::quiet_NaN()
                                 : std::ldexp(1.0, static_cast<int>(bits) - kScaleBias);
    }
    const Format format = format_of(type);
    const bool negative = (bits & format.sign_bit()) != 0;
    const uint64_t code = bits & (format.sign_bit() - 1);
    double magnitude = 0;
    if (code > format.largest()) {
        const bool infinite = format.specials == Specials::ieee && code == format.infinity();
        magnitude = infinite ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    } else {
        const auto field = static_cast<int>(code >> format.fraction_bits);
        uint64_t significand = code & ((uint64_t{1} << format.fraction_bits) - 1);
        if (field != 0) significand |= uint64_t{1} << format.fraction_bits;
        const int exponent = (field == 0 ? 1 : field) - format.bias - format.fraction_bits;
        magnitude = std::ldexp(static_cast<double>(significand), exponent);
    }
    return negative ? -magnitude : magnitude;
}

uint64_t encode_float(DType type, double value) {
    const auto raw = std::bit_cast<uint64_t>(value);
    const bool negative = raw >> 63 != 0;
    const int field = static_cast<int>(raw >> 52 & 0x7ff);
    uint64_t significand = raw & ((uint64_t{1} << 52) - 1);
    if (field != 0) significand |= uint64_t{1} << 52;
    const int exponent = (field == 0 ? 1 : field) - 1075;
    if (type == DType::e8m0) {
        if (std::isnan(value) || (negative && value != 0)) return kScaleNan;
        return std::isinf(value) ? 254 : encode_scale(significand, exponent);
    }
    const Format format = format_of(type);
    if (std::isnan(value)) return format.nan();
    const uint64_t sign = negative ? format.sign_bit() : 0;
    if (std::isinf(value)) return sign | (format.saturates ? format.largest() : format.infinity());
    return sign | encode_magnitude(format, significand, exponent);
}

uint64_t encode_integer(DType type, bool negative, uint64_t magnitude) {
    if (type == DType::e8m0) return negative && magnitude != 0 ? kScaleNan : encode_scale(magnitude, 0);
    const Format format = format_of(type);
    return (negative ? format.sign_bit() : 0) | encode_magnitude(format, magnitude, 0);
}

}  // namespace tsr::ir
