// Plans for kernels on GPUs.
#pragma once

#include "ir/core/function.h"
#include "ir/passes/target/gpu/machine.h"

namespace tsr::ir {

// Chooses the threads of a block, and how many neighbouring tiles one thread does, for a kernel in group form.
Plan choose_gpu_plan(const Function& kernel, const GpuMachine& machine);

}  // namespace tsr::ir
