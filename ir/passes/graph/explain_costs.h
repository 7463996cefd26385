// What the kernels of a Graph function cost, for people: `--explain=cost`.
#pragma once

#include <string>

#include "base/sources.h"
#include "ir/machine/gpu.h"
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

// "memory limits it to 9 % of the arithmetic of sm_90a", "arithmetic limits it on sm_90a", where each dimension is
// 1024: the roofline of a GPU (Williams, Waterman, Patterson, 2009). Empty where it is not known.
std::string limit_text(const Function& graph, const FormedFusions::Fused& fused, const GpuMachine& machine);

// Of each fused function: its operations and the bytes that it reads and writes as formulas of the graph's dimensions,
// how many operations that is for a byte where each dimension is 1024, and what limits it on the machine.
std::string explain_costs(const Function& graph, const FormedFusions& formed, const Sources& sources,
                          const GpuMachine& machine);

}  // namespace tsr::ir
