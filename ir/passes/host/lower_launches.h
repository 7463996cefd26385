// Launches get their numbers of groups, from the program or from the kernel's launch region.
#pragma once

#include "ir/passes/pass.h"

namespace tsr::ir {

// The kernels of the module are in group form. False when a launch must say how many groups it runs and does not
// (E0459).
bool lower_launches(Function& host, PassContext& context);

}  // namespace tsr::ir
