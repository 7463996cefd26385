// A fused function whose elements come from places that no `AxisMap` describes: borders, tensors joined, blocks in
// others, steps. A grid loop goes through the positions of the result, and each element is found from its position.
#pragma once

#include "ir/passes/graph/fused_kernel.h"

namespace tsr::ir {

// Whether one of its operations `gathers_elements`.
bool gathers(const Function& fused);

FusedKernel gathered_kernel(const Function& fused);

}  // namespace tsr::ir
