// What the kernels of a Graph function cost, for people: `--explain=cost`.
#pragma once

#include <string>

#include "base/sources.h"
#include "ir/passes/graph/form_fusions.h"

namespace tsr::ir {

struct FusionCost {
    Dim operations;
    Dim bytes;  // read and written
};

// A product counts two operations for each multiply-add; other operations count what their records say of a lane of a
// CPU.
FusionCost cost_of(const Function& graph, const FormedFusions::Fused& fused);

// "5.12 operations for a byte where each dimension is 1024"; empty where it is not known.
std::string intensity_text(const FusionCost& cost);

// Of each fused function: its operations and the bytes that it reads and writes as formulas of the graph's dimensions,
// and how many operations that is for a byte where each dimension is 1024.
std::string explain_costs(const Function& graph, const FormedFusions& formed, const Sources& sources);

}  // namespace tsr::ir
