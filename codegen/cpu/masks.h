// How masks live where the processor has no registers for them.
#pragma once

#include <llvm/IR/Function.h>

namespace tsr::codegen {

// Before AVX-512 a vector of i1 that lives from one block to another is packed into bytes and unpacked again. Here each
// such value, and each phi of masks, becomes a vector of i32 that are all ones or zero, as comparisons make them and as
// blends and masked moves read them. To be run after everything that simplifies: it would be undone.
void widen_masks(llvm::Function& function);

}  // namespace tsr::codegen
