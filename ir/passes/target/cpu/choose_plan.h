// Plans for kernels on CPUs.
#pragma once

#include <optional>

#include "ir/core/function.h"
#include "ir/machine/cpu.h"

namespace tsr::ir {

// Chooses the plan of a kernel in group form, but for the fields that are given. `narrow_index` assumes that every
// dimension and the number of tiles are below 2^30.
Plan choose_plan(const Function& kernel, const CpuMachine& machine, bool narrow_index,
                 const CpuPlanFields& fields = {});

// The plan of a variant for few groups, whose sums over k are split; nothing where they can not be.
std::optional<Plan> choose_split_plan(const Function& kernel, const CpuMachine& machine,
                                      const CpuPlanFields& fields = {});

// What keeps the kernel from being compiled by this plan: its first field that can not be as it is.
std::optional<PlanFault> plan_fault(const Function& kernel, const CpuMachine& machine, const Plan& plan);

}  // namespace tsr::ir
