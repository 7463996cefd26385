// What a Graph function was cut into, for people: `--explain=fusion`.
#pragma once

#include <string>

#include "base/sources.h"
#include "ir/passes/graph/form_fusions.h"

namespace tsr::ir {

// Of each fused function: how its kernel goes through the elements, its operations by lines of the program, the bytes
// that it reads and writes as formulas, and why it is apart from those whose values it takes.
std::string explain_fusions(const Function& graph, const FormedFusions& formed, const Sources& sources);

}  // namespace tsr::ir
