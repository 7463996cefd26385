// What the kernels of a Graph function cost, for people: `--explain=cost`.
#pragma once

#include <string>

#include "base/sources.h"
#include "ir/passes/graph/form_fusions.h"

namespace tsr::ir {

// Of each fused function: its operations and the bytes that it reads and writes as formulas of the graph's dimensions,
// and how many operations that is for a byte where each dimension is 1024. A product counts two operations for each
// multiply-add; other operations count what their records say of a lane of a CPU.
std::string explain_costs(const Function& graph, const FormedFusions& formed, const Sources& sources);

}  // namespace tsr::ir
