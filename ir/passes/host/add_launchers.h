// Host functions that launch one kernel each: what a library offers of its kernels.
#pragma once

#include <string>

#include "ir/core/function.h"

namespace tsr::ir {

// The name of a kernel's launcher in the module.
std::string launcher_name(const std::string& kernel);

// Adds a launcher for `kernel`, which has gone through `lower_kernels`: it takes the kernel's arguments, gives what it
// gives. False where the numbers of groups, or a dimension, are known to a launch alone.
bool add_launcher(Module& module, const std::string& kernel);

}  // namespace tsr::ir
