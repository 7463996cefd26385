// What a Graph function was cut into, for people: `--explain=fusion`, and the part of a schedule that says it.
#pragma once

#include <string>

#include "base/sources.h"
#include "ir/machine/gpu.h"
#include "ir/passes/graph/form_fusions.h"

namespace tsr::ir {

// Of each fused function: how its kernel goes through the elements, its operations by lines of the program, the bytes
// that it reads and writes as formulas, and each decision (fusion_decisions.h) with the time of both possibilities on
// the machine.
std::string explain_fusions(const Function& graph, const FormedFusions& formed, const Sources& sources,
                            const GpuMachine& machine);

// The same as lines that are read back: `region NAME: VALUE, …` of each fused function, `fuse VALUE + VALUE` and
// `store VALUE` of each decision, what they gain behind `#`.
std::string fusion_plans(const Function& graph, const FormedFusions& formed, const Sources& sources,
                         const GpuMachine& machine);

}  // namespace tsr::ir
