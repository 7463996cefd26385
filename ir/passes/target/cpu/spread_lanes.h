// Group form of a kernel → one task of it on a CPU: lanes become explicit vectors with masks.
#pragma once

#include "ir/core/function.h"

namespace tsr::ir {

// `kernel` is in group form with its math expanded and has a plan for a CPU. A task runs the groups, or the tiles of a
// flat kernel, from `task_begin` to `task_end`; its slots are parameters, symbols, group counts x, y, z. The plan comes
// with it, and says how many bytes of scratch the shared buffers take. A barrier between lanes regions costs nothing:
// each region is a loop.
Function spread_lanes(const Function& kernel);

}  // namespace tsr::ir
