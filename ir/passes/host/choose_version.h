// `@jit(memory=…)` of a function whose extents only the run knows: several versions of it, of which each call takes
// one.
#pragma once

#include <string>
#include <vector>

#include "ir/core/function.h"

namespace tsr::ir {

// A function of the module, and the bytes that a call of it has at once: the greatest of these.
struct MemoryVersion {
    std::string name;
    std::vector<Dim> most;
};

// A Host function with the name, the parameters and the results of a Graph function. It calls the first version that
// has at most `limit` bytes at once; where the last has more, too, it ends the program, at `limit_at`.
Function choosing_version(const Function& graph, const std::vector<MemoryVersion>& versions, int64_t limit,
                          Span limit_at);

}  // namespace tsr::ir
