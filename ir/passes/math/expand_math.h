// Replaces exp, log, sin, pow, … by the element operations that compute them, on every level.
#pragma once

#include "ir/core/function.h"

namespace tsr::ir {

// f16 and bf16 are computed in f32 and rounded once more. Bounds: docs/ops.
void expand_math(Function& function);

// The same of a kernel, except that exp, exp2 and rsqrt of f32 stay: GPUs have instructions for them.
void expand_math_for_gpus(Function& kernel);

// Whether one of those is left.
bool has_gpu_functions(const Function& kernel);

}  // namespace tsr::ir
