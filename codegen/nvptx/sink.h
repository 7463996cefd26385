// Values that are cheaper to make again than to keep in a register.
#pragma once

#include <llvm/IR/Function.h>

namespace tsr::codegen {

// Makes what takes one operation of one other value and constants (the parts of addresses) in each block that uses it,
// instead of once for all of them: LLVM moves it ahead of the loops, where a kernel has dozens of such values, and
// ptxas keeps those that find no register in local memory. At no place more registers are wanted than before.
void sink_cheap_values(llvm::Function& function);

}  // namespace tsr::codegen
