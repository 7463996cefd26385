// Plans for kernels on GPUs.
#pragma once

#include <optional>

#include "ir/core/function.h"
#include "ir/machine/gpu.h"

namespace tsr::ir {

// Chooses into how many parts groups are divided, the threads of a block, how many neighbouring tiles one thread does,
// the stages of pipelines, the TMA tensor copies that fill them and the clusters that share these, for a kernel in
// group form, but for the fields that are given.
Plan choose_gpu_plan(const Function& kernel, const GpuMachine& machine, const GpuPlanFields& fields = {});

// What keeps the kernel from being compiled by this plan: its first field that can not be as it is.
std::optional<PlanFault> gpu_plan_fault(const Function& kernel, const GpuMachine& machine, const Plan& plan);

}  // namespace tsr::ir
