// Whether a kernel's register tiles find room in registers.
#pragma once

#include <optional>
#include <string>

#include "ir/core/function.h"

namespace tsr::ir {

// Why a kernel in group form cannot keep what a loop carries in registers by this plan: a bound from below, so nothing
// is said of kernels that might. CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
std::optional<std::string> lacks_registers(const Function& kernel, const Plan& plan);

}  // namespace tsr::ir
