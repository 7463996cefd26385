// Results whose elements share bytes (fp4, fp6, i4). A kernel that computes element by element would write parts of a
// byte that another tile writes, too. So a fusion gives the elements' codes, a byte each, and a fused function of its
// own packs them: a thread block takes a piece of a row, which begins and ends at a byte.
#pragma once

#include "ir/passes/graph/kernel_steps.h"

namespace tsr::ir {

// Lets a fused function give the codes (u8) of those of its results that are packed.
void give_codes(Function& fused);

// The fused function that makes a packed tensor of its codes, without a name. `like`: the tensor in the graph.
Function packing_function(const Function& graph, ValueId like);

// Whether it is one, and its kernels.
bool packs_codes(const Function& fused);
StepCode packing_code(const Function& fused);

}  // namespace tsr::ir
