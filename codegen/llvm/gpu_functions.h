// Functions of f32 that GPUs have instructions for.
#pragma once

#include "codegen/llvm/element.h"

namespace tsr::codegen {

// exp, exp2 or rsqrt of f32 (ir/passes/math/expand_math.h).
llvm::Value* emit_gpu_function(Build& build, const ElementOp& op);

}  // namespace tsr::codegen
