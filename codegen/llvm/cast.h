// `cast` and `bitcast`.
#pragma once

#include "base/dtype.h"
#include "codegen/llvm/build.h"

namespace tsr::codegen {

// The value in another element type: to floats nearest even, saturating below 16 bits; to integers toward zero and
// saturating, NaN is 0; between integers it wraps; to bool != 0.
llvm::Value* emit_cast(Build& build, DType from, DType to, llvm::Value* value);

// The same bits under another type of the same size; between u8 and an element that shares bytes its code.
llvm::Value* emit_bitcast(Build& build, DType from, DType to, llvm::Value* value);

// An integer of 8 bits brought into the range of i4, sign-extended: wraps.
llvm::Value* wrap_i4(Build& build, llvm::Value* value);

}  // namespace tsr::codegen
