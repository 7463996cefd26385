// What must be uniform and is not: refused with the place and the condition that differs between tiles.
#pragma once

#include "base/diagnostics.h"
#include "ir/passes/tile/classify.h"

namespace tsr::ir {

// False when something was refused (E0453 … E0456).
bool check_uniform(const Function& kernel, const KernelShape& shape, Diagnostics& diagnostics);

}  // namespace tsr::ir
