// Conversions between f32 and fp8 by a machine's own instructions (`Machine::converts_fp8`: sm_89 on).
#pragma once

#include "base/dtype.h"
#include "codegen/llvm/build.h"

namespace tsr::codegen {

// The same as `decode_narrow` and `encode_narrow` of narrow.h.
llvm::Value* decode_fp8(Build& build, DType from, llvm::Value* code);
llvm::Value* encode_fp8(Build& build, DType to, llvm::Value* f32);

}  // namespace tsr::codegen
