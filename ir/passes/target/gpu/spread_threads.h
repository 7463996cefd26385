// Group form of a kernel → the program of one thread of a GPU.
#pragma once

#include "ir/core/function.h"
#include "ir/machine/gpu.h"

namespace tsr::ir {

// `kernel` is in group form with its math expanded, has a plan for a GPU, and is not without code (`without_gpu_code`).
// A block runs one group, `thread_id` one tile of it; of a flat kernel a block runs `plan.task` tiles. Slots are
// parameters, symbols, group counts x, y, z. `task_begin` is the first group of the launch, of a flat kernel the first
// tile, a multiple of `plan.task`. The plan comes with it, and how many bytes of shared memory a block takes.
Function spread_threads(const Function& kernel, const GpuMachine& machine);

}  // namespace tsr::ir
