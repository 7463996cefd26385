// Stores under a mask that leaves one element.
#pragma once

#include <llvm/IR/Function.h>

namespace tsr::codegen {

// A vector stored under a constant mask with one element becomes the store of that element. LLVM 22 does the same while
// it selects instructions, but where the vector was truncated before, with the element as wide as it had been: it would
// write the bytes behind it too. To be run after everything that simplifies.
void store_single_elements(llvm::Function& function);

}  // namespace tsr::codegen
