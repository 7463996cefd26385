// Groups whose register tiles no block can hold are divided among blocks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/core/function.h"
#include "ir/machine/gpu.h"

namespace tsr::ir {

// Why the groups of a kernel that runs in so many threads should be divided: what its loops carry does not find room in
// registers, or leaves none for what passes through them on its way to shared memory, where no copy is asynchronous.
std::optional<std::string> wants_parts(const Function& kernel, const GpuMachine& machine, const GpuPlan& plan);

// Into how many parts each axis of a kernel's grid is divided, so that what its loops carry finds room in registers:
// the fewest, the longest axis first. Empty: the kernel is left as it is, as it finds room, or can not be divided.
std::vector<int64_t> choose_parts(const Function& kernel, const GpuMachine& machine, const GpuPlanFields& fields);

// What keeps the groups of a kernel from being divided so.
std::optional<PlanFault> parts_fault(const Function& kernel, const std::vector<int64_t>& parts);

// The kernel as the blocks of this plan run it; with the plan.
Function divided_by(const Plan& plan, const Function& kernel);

}  // namespace tsr::ir
