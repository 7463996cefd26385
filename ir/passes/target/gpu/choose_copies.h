// Whether TMA tensor copies fill the pipelines of a kernel and store its results, and which threads start them.
#pragma once

#include <string>
#include <vector>

#include "ir/core/function.h"
#include "ir/machine/gpu.h"

namespace tsr::ir {

// Sets `box_copies`, `box_stores` and `producers` of a kernel, its groups divided, whose plan has its stages; by a dry
// run. Answers the reasons, one line each.
std::vector<std::string> choose_copies(Function& kernel, const GpuMachine& machine);

}  // namespace tsr::ir
