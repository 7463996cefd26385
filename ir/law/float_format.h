// Floating-point storage formats as bits: IEEE 754 binary16, 32, 64; bfloat16; the 8, 6 and 4 bit formats and the scale
// e8m0 of the OCP microscaling specification 1.0. Every value of each is a double.
#pragma once

#include <cstdint>

#include "base/dtype.h"

namespace tsr::ir {

// The value of the format's bits.
double decode_float(DType format, uint64_t bits);

// The nearest value of the format, ties to even. Formats of 8 bits or fewer saturate, infinities too; NaN is the
// format's quiet positive NaN, the largest value where there is none. e8m0: the nearest power of two (ties to the even
// code), the least for 0, NaN for what is below.
uint64_t encode_float(DType format, double value);

// The nearest value to an integer given by sign and magnitude: one rounding, from all 64 bits.
uint64_t encode_integer(DType format, bool negative, uint64_t magnitude);

}  // namespace tsr::ir
