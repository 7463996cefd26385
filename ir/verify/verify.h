// Whether a function keeps the laws of the IR: structure, visibility, levels, types. What `verify` accepts, every pass
// may rely on.
#pragma once

#include <string>
#include <vector>

#include "ir/core/function.h"

namespace tsr::ir {

// Each message names the function and the operation. Empty: the function is sound. With the module calls and launches
// are checked against what they name.
std::vector<std::string> verify(const Function& function, const Module* module = nullptr);
std::vector<std::string> verify(const Module& module);

}  // namespace tsr::ir
