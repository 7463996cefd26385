// Binary floating-point formats of 64 bits or fewer, their codes and the one rounding into them.
// f16, f32, f64: IEEE 754-2019. bf16: the upper half of f32. fp8, fp6, fp4, e8m0: OCP 8-bit Floating Point
// Specification 1.0 and OCP Microscaling Formats 1.0.
#pragma once

#include <cstdint>

#include "runtime/abi.h"

namespace tsr::runtime {

struct FloatFormat {
    int bits;
    int digits;         // of the significand, with the hidden one
    int min_exponent;   // of the lowest subnormal bit
    uint64_t max_code;  // of the largest finite value
    enum class Specials : uint8_t {
        none,
        nan_only,   // one NaN above the largest finite value
        infinities  // as IEEE 754: infinity above the largest finite value, NaNs above that
    } specials;
    bool saturates;
};

// For the types of Family::floating.
const FloatFormat& float_format(int32_t dtype);

// A rounding rule; `word` is the Philox word of stochastic rounding.
struct Rounding {
    TsrRounding mode = TSR_ROUND_NEAREST;
    uint32_t word = 0;
};

// The code of (-1)^negative * magnitude * 2^exponent, rounded once.
uint64_t encode(const FloatFormat& format, bool negative, uint64_t magnitude, int exponent, Rounding rounding);
// The code of any f64 value, infinities and NaN included.
uint64_t encode(const FloatFormat& format, double value, Rounding rounding = {});
// Exact: every format here is a subset of f64.
double decode(const FloatFormat& format, uint64_t code);

// e8m0 has no sign, no zero and no infinity: code c is 2^(c - 127), 255 is NaN.
uint8_t encode_e8m0(double value);
double decode_e8m0(uint8_t code);

}  // namespace tsr::runtime
