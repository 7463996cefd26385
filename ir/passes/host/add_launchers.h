// Host functions that launch one kernel each: what a library offers of its kernels.
#pragma once

#include <string>
#include <vector>

#include "ir/core/function.h"

namespace tsr::ir {

// The name of a kernel's launcher in the module.
std::string launcher_name(const std::string& kernel);

// Adds a launcher for a kernel, which has gone through `lower_kernels`: it takes the kernel's arguments, gives what it
// gives. `points`: the kernel's name, or those of its points if it is tuned; the launcher is named after the first.
// False where the numbers of groups, or a dimension, are known to a launch alone.
bool add_launcher(Module& module, const std::vector<std::string>& points);

}  // namespace tsr::ir
