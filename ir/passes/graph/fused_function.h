// One fusion as a Graph function of its own.
#pragma once

#include <vector>

#include "ir/core/function.h"
#include "ir/passes/graph/fusions.h"

namespace tsr::ir {

struct FusedFunction {
    Function function;            // without a name
    std::vector<ValueId> inputs;  // its first parameters, as values of the graph
    std::vector<Dim> dimensions;  // its last parameters: extents that no tensor among the first ones has
};

// `outputs`: what the function gives, results of the fusion's operations. Movements and constants that the fusion uses
// are made in it again.
FusedFunction fused_function(const Function& graph, const Fusion& fusion, const std::vector<ValueId>& outputs);

}  // namespace tsr::ir
