// The loads of tensors that rings bring in ahead of the products that want them.
#pragma once

#include <optional>
#include <vector>

#include "ir/core/function.h"
#include "ir/machine/gpu.h"

namespace tsr::ir {

// A loop in order, and those of its loads whose views are known rounds ahead and that only products of warps read.
struct StagedLoop {
    OpId loop;
    std::vector<OpId> loads;
    int64_t bytes = 0;   // of one stage: the tiles of all loads
    bool boxes = false;  // all loads are boxes of tensors, and the plan has copies of such
    int64_t asked = 0;   // `prefetch`: the most stages that the program wants; 0: not said
};

// Of a kernel with a plan, in the order of the text. Nothing on machines without asynchronous copies, nor where the
// program has its own.
std::vector<StagedLoop> staged_loops(const Function& kernel, const GpuMachine& machine);

// The stages that a loop gets of a plan's.
int64_t stages_of(const StagedLoop& loop, const GpuPlan& plan);

// The operations of the loop's body that make a load's starts out of the loop's index, in the order of the text;
// nothing where something else goes into them.
std::optional<std::vector<OpId>> starts_ahead(const Function& kernel, OpId loop, OpId load);

}  // namespace tsr::ir
