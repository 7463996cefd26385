// The remainder of floats on machines that have neither an instruction nor a C library for it.
#pragma once

#include "codegen/llvm/build.h"

namespace tsr::codegen {

// x - y * trunc(x / y) without rounding, with the sign of x (C's fmod), of f32 or f64, lane by lane. NaN where x is
// infinite or y is zero; x where y is infinite.
llvm::Value* emit_remainder(Build& build, llvm::Value* x, llvm::Value* y);

}  // namespace tsr::codegen
