// Group form of a kernel → the program of one thread of a GPU.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "ir/core/function.h"
#include "ir/machine/gpu.h"
#include "ir/passes/target/gpu/refuse.h"

namespace tsr::ir {

std::optional<NoGpuCode> without_gpu_code(const Function& kernel, const GpuMachine& machine);
// The plan that is chosen for it where no field is given, or what keeps it from having code. Both come of one attempt:
// how large rings may be is seen from code that is made to see.
std::variant<Plan, NoGpuCode> planned_for_gpu(const Function& kernel, const GpuMachine& machine);

// `kernel` is in group form with its math expanded, has a plan for a GPU, and is not without code. A block runs one
// group, `thread_id` one tile of it; of a flat kernel a block runs `plan.task` tiles. Slots are parameters, symbols,
// group counts x, y, z. `task_begin` is the first group of the launch, of a flat kernel the first tile, a multiple of
// `plan.task`. The plan comes with it, and says how many bytes of shared memory a block takes.
Function spread_threads(const Function& kernel, const GpuMachine& machine);

}  // namespace tsr::ir
