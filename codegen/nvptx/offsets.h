// Offsets of pointers that loops move.
#pragma once

#include <llvm/IR/Function.h>

namespace tsr::codegen {

// Adds two offsets that are known before a loop there, rather than to the pointer one after the other in each round:
// LLVM takes the sum of an address apart, and both parts wait in registers.
void join_offsets(llvm::Function& function);

}  // namespace tsr::codegen
