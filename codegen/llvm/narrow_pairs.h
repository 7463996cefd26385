// Conversions of narrow floats as GPUs do them, two lanes at a time: each gives what the function of narrow.h without
// `pairs` in its name gives.
#pragma once

#include "base/dtype.h"
#include "codegen/llvm/build.h"

namespace tsr::codegen {

// Between f32 and fp8 by instructions of their own (`Machine::converts_fp8`: sm_89 on).
llvm::Value* decode_fp8_pairs(Build& build, DType from, llvm::Value* code);
llvm::Value* encode_fp8_pairs(Build& build, DType to, llvm::Value* f32);

// As f32 by way of f16, which has them all (`Machine::pairs_f16`): the code's bits moved to where f16 has its own
// are the number but for a power of two, subnormals too. For types without infinities.
llvm::Value* decode_half_pairs(Build& build, DType from, llvm::Value* code);
bool is_within_half(DType type);

}  // namespace tsr::codegen
