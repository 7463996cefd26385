// Fused functions → kernels; their calls → allocations and launches.
#pragma once

#include <functional>
#include <string>

#include "ir/passes/graph/form_fusions.h"
#include "ir/passes/graph/fusion_orders.h"
#include "ir/passes/pass.h"

namespace tsr::ir {

// Is shown each Graph function and what becomes of it.
using FusionObserver = std::function<void(const Function& graph, const FormedFusions& formed)>;

// Is told of each fused function which kernel does it, the first where it has several: another's where both have the
// same code.
using KernelObserver = std::function<void(const std::string& fused, const std::string& kernel)>;

// Graph functions → Host functions and fused functions, of level Graph, beside them. What is given and can not be
// followed is told; the functions are sound then, too.
ModulePass form_fusions_pass(FusionObserver observer = {}, const GivenFusions& given = {});

// Each fused function becomes one kernel or a few; those with the same code (`text_of_code`) become one. A call of it
// allocates its results, launches, and reads back what is a scalar.
ModulePass lower_fusions_pass(KernelObserver observer = {});

}  // namespace tsr::ir
