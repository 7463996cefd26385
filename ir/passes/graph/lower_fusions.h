// Fused functions → kernels; their calls → allocations and launches.
#pragma once

#include "ir/passes/pass.h"

namespace tsr::ir {

// Graph functions → Host functions and fused functions, of level Graph, beside them.
ModulePass form_fusions_pass();

// Each fused function becomes one kernel or a few, equal ones become the same. A call of it allocates its results,
// launches, and reads back what is a scalar.
ModulePass lower_fusions_pass();

}  // namespace tsr::ir
