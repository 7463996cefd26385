// Sorts along an axis on a GPU, by eight bits of a key at a time from the lowest, spread over the whole machine.
#pragma once

#include "ir/ops/indexed.h"
#include "ir/passes/graph/kernel_steps.h"

namespace tsr::ir {

// Adds to `code.on_gpu` for rows longer than `shorter` elements.
void add_sort_on_gpu(StepCode& code, const Function& fused, const SortOp& op, int64_t shorter);

}  // namespace tsr::ir
