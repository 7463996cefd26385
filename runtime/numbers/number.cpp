#include "runtime/numbers/number.h"

#include <bit>
#include <cmath>

#include "runtime/numbers/dtypes.h"

namespace tsr::runtime {

namespace {

uint64_t low_bits(uint64_t value, int count) { return count == 64 ? value : value & ((uint64_t{1} << count) - 1); }

int64_t sign_extend(uint64_t value, int count) {
    int shift = 64 - count;
    return static_cast<int64_t>(value << shift) >> shift;
}

// Toward zero, saturating, NaN gives 0. The limits are powers of two, exact in f64.
uint64_t float_to_integer(double value, int count, bool is_signed) {
    if (std::isnan(value)) return 0;
    double above = std::ldexp(1.0, is_signed ? count - 1 : count);
    if (value >= above) return is_signed ? (uint64_t{1} << (count - 1)) - 1 : low_bits(~uint64_t{0}, count);
    if (!is_signed) return value <= 0 ? 0 : static_cast<uint64_t>(value);
    if (value < -above) return uint64_t{1} << (count - 1);
    return low_bits(static_cast<uint64_t>(static_cast<int64_t>(value)), count);
}

uint64_t to_float(const Number& number, const FloatFormat& format, Rounding rounding) {
    switch (number.kind) {
        case Number::Kind::floating:
            return encode(format, number.floating, rounding);
        case Number::Kind::unsigned_integer:
            return encode(format, false, number.unsigned_integer, 0, rounding);
        case Number::Kind::integer:
            break;
    }
    bool negative = number.integer < 0;
    auto magnitude = static_cast<uint64_t>(number.integer);
    return encode(format, negative, negative ? 0 - magnitude : magnitude, 0, rounding);
}

bool is_nonzero(const Number& number) {
    return number.kind == Number::Kind::floating ? number.floating != 0 || number.imaginary != 0
                                                 : number.unsigned_integer != 0;
}

}  // namespace

Number number_of(uint64_t bits, int32_t dtype) {
    int count = runtime::bits(dtype);
    switch (family(dtype)) {
        case Family::boolean:
            return Number::of_unsigned((bits & 0xFF) != 0);
        case Family::signed_integer:
            return Number::of(sign_extend(bits, count));
        case Family::unsigned_integer:
            return Number::of_unsigned(low_bits(bits, count));
        case Family::scale:
            return Number::of(decode_e8m0(static_cast<uint8_t>(bits)));
        case Family::floating:
            if (dtype == TSR_F32) return Number::of(double{std::bit_cast<float>(static_cast<uint32_t>(bits))});
            return Number::of(decode(float_format(dtype), low_bits(bits, count)));
        case Family::complex: {
            Number n = Number::of(double{std::bit_cast<float>(static_cast<uint32_t>(bits))});
            n.imaginary = std::bit_cast<float>(static_cast<uint32_t>(bits >> 32));
            return n;
        }
    }
    return Number::of(int64_t{0});
}

uint64_t bits_of(const Number& number, int32_t dtype, Rounding rounding) {
    int count = bits(dtype);
    switch (family(dtype)) {
        case Family::boolean:
            return is_nonzero(number) ? 1 : 0;
        case Family::signed_integer:
        case Family::unsigned_integer:
            if (number.kind != Number::Kind::floating) return low_bits(number.unsigned_integer, count);
            return float_to_integer(number.floating, count, family(dtype) == Family::signed_integer);
        case Family::floating:
            return to_float(number, float_format(dtype), rounding);
        case Family::scale:
            return encode_e8m0(to_f64(number));
        case Family::complex: {
            uint64_t imaginary = std::bit_cast<uint32_t>(number.imaginary);
            return to_float(number, float_format(TSR_F32), rounding) | imaginary << 32;
        }
    }
    return 0;
}

double to_f64(const Number& number) {
    switch (number.kind) {
        case Number::Kind::floating:
            return number.floating;
        case Number::Kind::unsigned_integer:
            return static_cast<double>(number.unsigned_integer);
        case Number::Kind::integer:
            break;
    }
    return static_cast<double>(number.integer);
}

int64_t to_i64(const Number& number) { return static_cast<int64_t>(bits_of(number, TSR_I64)); }

}  // namespace tsr::runtime

extern "C" {

uint64_t tsr_convert_bits(uint64_t bits, int32_t from, int32_t to) {
    return tsr::runtime::bits_of(tsr::runtime::number_of(bits, from), to);
}

double tsr_bits_to_f64(uint64_t bits, int32_t dtype) {
    return tsr::runtime::to_f64(tsr::runtime::number_of(bits, dtype));
}

uint64_t tsr_f64_to_bits(double value, int32_t dtype) {
    return tsr::runtime::bits_of(tsr::runtime::Number::of(value), dtype);
}
}
