// How many rounds ahead rings bring what products want.
#pragma once

#include <optional>
#include <string>

#include "ir/core/function.h"
#include "ir/machine/gpu.h"
#include "ir/passes/target/gpu/refuse.h"

namespace tsr::ir {

inline constexpr int64_t kMostStages = 8;  // more of them would be code before the loop that hides nothing

// Sets `plan->stages` of a kernel that has its other plan: what the program asks for, else enough to have the bytes on
// their way that hide the latency of memory; fewer where shared memory ends. Says so in the plan's reasons.
void choose_stages(Function& kernel, const GpuMachine& machine);

// What keeps a kernel from having the stages of this plan.
std::optional<std::string> stages_fault(const Function& kernel, const GpuMachine& machine, const Plan& plan);

// The loop that asks for more stages than its plan has, and why it can not have them.
std::optional<NoGpuCode> too_many_stages(const Function& kernel, const GpuMachine& machine);

}  // namespace tsr::ir
