// Replaces exp, log, sin, pow, … by the element operations that compute them, on every level and for every machine.
#pragma once

#include "ir/core/function.h"

namespace tsr::ir {

// f16 and bf16 are computed in f32 and rounded once more. Bounds: docs/ops.
void expand_math(Function& function);

}  // namespace tsr::ir
