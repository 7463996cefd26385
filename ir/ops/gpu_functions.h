// Elementary functions that GPUs have instructions for.
#pragma once

#include "base/dtype.h"
#include "ir/core/opkind.h"

namespace tsr::ir {

// GPUs compute these by one instruction and what surrounds it, within the bounds of their records
// (codegen/llvm/gpu_functions.cpp). Their other instructions (lg2.approx, sin.approx, tanh.approx) are not within two
// units in the last place, so that those functions are formulas on GPUs, too.
constexpr bool is_gpu_function(OpKind kind, DType operand) {
    return operand == DType::f32 && (kind == OpKind::exp || kind == OpKind::exp2 || kind == OpKind::rsqrt);
}

}  // namespace tsr::ir
