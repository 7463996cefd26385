// Group form of a kernel → one task of it on a CPU: lanes become explicit vectors with masks.
#pragma once

#include "ir/core/function.h"

namespace tsr::ir {

struct SpreadKernel {
    Function task;          // level Target; its slots: parameters, symbols, group counts x, y, z
    int64_t scratch_bytes;  // shared buffers of one group
};

// `kernel` is in group form with its math expanded and has a plan for a CPU. A task runs the groups, or the tiles of a
// flat kernel, from `task_begin` to `task_end`. A barrier between lanes regions costs nothing: each region is a loop.
SpreadKernel spread_lanes(const Function& kernel);

}  // namespace tsr::ir
