// Products of warp groups that are still under way when their round ends.
#pragma once

#include <span>
#include <vector>

#include "ir/core/function.h"
#include "ir/machine/gpu.h"

namespace tsr::ir {

// The products of a loop that reads slots of these buffers, if all of them may stay under way while the next round
// starts its own: warp groups multiply what lies in the slots, and what they add to is touched by nothing else in the
// loop. Empty: some have to be waited for in their round.
std::vector<OpId> pending_products(const Function& kernel, OpId loop, std::span<const ValueId> buffers,
                                   const GpuMachine& machine);

}  // namespace tsr::ir
