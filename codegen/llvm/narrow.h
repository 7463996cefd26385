// Conversions between f32 and the floats that x86-64 does not compute on, by integer operations on whole vectors.
#pragma once

#include "base/dtype.h"
#include "codegen/llvm/build.h"

namespace tsr::codegen {

// The f32 of a code of bf16 (i16), fp8, fp6, fp4, e8m0 (i8), or of f16 as its 16 bits. Exact.
llvm::Value* decode_narrow(Build& build, DType from, llvm::Value* code);

// Nearest even. bf16 and f16 overflow to infinity; narrower floats saturate, NaN stays NaN where the format has one and
// is the largest value else; e8m0 takes the nearest exponent.
llvm::Value* encode_narrow(Build& build, DType to, llvm::Value* f32);

// f64 to f32 so that a second rounding to a narrower float gives what one rounding would: an inexact result is the
// neighbour whose last bit is odd (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
llvm::Value* round_to_odd(Build& build, llvm::Value* f64);

}  // namespace tsr::codegen
