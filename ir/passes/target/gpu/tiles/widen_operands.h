// Products whose operands no warp of the machine multiplies, in a type that it does.
#pragma once

#include "ir/core/function.h"
#include "ir/machine/gpu.h"

namespace tsr::ir {

// Register tiles of narrow floats become f16 or bf16 before the product, where that holds every value of both operands
// and the machine multiplies it into the same accumulator: fp8 before sm_89, fp6, fp4.
void widen_operands(Function& kernel, const GpuMachine& machine);

}  // namespace tsr::ir
