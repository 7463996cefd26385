// Fused functions → kernels; their calls → allocations and launches.
#pragma once

#include <functional>

#include "ir/passes/graph/form_fusions.h"
#include "ir/passes/pass.h"

namespace tsr::ir {

// Is shown each Graph function and what becomes of it.
using FusionObserver = std::function<void(const Function& graph, const FormedFusions& formed)>;

// Graph functions → Host functions and fused functions, of level Graph, beside them.
ModulePass form_fusions_pass(FusionObserver observer = {});

// Each fused function becomes one kernel or a few, equal ones become the same. A call of it allocates its results,
// launches, and reads back what is a scalar.
ModulePass lower_fusions_pass();

}  // namespace tsr::ir
