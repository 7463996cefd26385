// How many threads a block has, and how many tiles one thread does.
#pragma once

#include "ir/core/function.h"
#include "ir/machine/gpu.h"

namespace tsr::ir {

// A plan that has these alone, of a kernel whose groups are divided already or stay whole. Where the machine has TMA
// tensor copies, `box_copies` lets the steps behind think of them: choose_copies decides.
Plan choose_threads(const Function& kernel, const GpuMachine& machine, const GpuPlanFields& fields);

// A thread's work is tiles, be it of a flat kernel.
bool by_tiles(const Function& kernel);
// The most tiles that a thread of such a kernel does: a power of two.
int64_t most_neighbours(const Function& kernel);
// Whether the tiles of a thread are side by side, so that its accesses are wide; else they are apart.
bool side_by_side(const Function& kernel, const Op& lanes);
// Whether a loop of the kernel is spread over the tiles of the group.
bool has_tile_loop(const Function& kernel);

}  // namespace tsr::ir
