// A product of warp groups that is under way while the round before its own goes on.
#pragma once

#include <optional>
#include <span>

#include "ir/core/function.h"
#include "ir/machine/gpu.h"

namespace tsr::ir {

// The first product of a loop's rounds, in the order of the text, that can be started a round ahead: it begins its sums
// anew, out of slots of these buffers and what was made before the loop. Nothing where a thread has no registers for
// the sums of two of them beside the others.
std::optional<OpId> product_ahead(const Function& kernel, OpId loop, std::span<const ValueId> buffers,
                                  const GpuMachine& machine);

}  // namespace tsr::ir
