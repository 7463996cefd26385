// Copies and the barriers that end them (language reference, section 4, "Copies").
#pragma once

#include "base/diagnostics.h"
#include "ir/core/function.h"

namespace tsr::ir {

// False when tiles read or write a buffer before the barrier (and, in a kernel that commits, the wait) that its copy
// needs (E0458). What can not be decided here is left to `--sanitize=race`.
bool check_copies(const Function& kernel, Diagnostics& diagnostics);

}  // namespace tsr::ir
