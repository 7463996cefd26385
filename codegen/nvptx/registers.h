// The registers that a kernel's threads may have.
#pragma once

#include <cstdint>

#include <llvm/IR/Function.h>

#include "codegen/nvptx/gpu.h"

namespace tsr::codegen {

// Registers of 32 bits that values take where most of them are wanted at once, in the order of the text. Predicates and
// parameters have places of their own; what is a constant distance from a pointer is part of an access.
int64_t registers_at_once(const llvm::Function& function);

// Where a thread wants many: makes what is cheap where it is used, and says how many blocks are to run on a
// multiprocessor at once, which is what its registers and its shared memory have room for. ptxas knows nothing of
// shared memory that the launch sizes, and left alone it keeps values in local memory for blocks that do not come.
void fit_registers(llvm::Function& entry, const Gpu& gpu, int64_t threads, int64_t shared_bytes);

}  // namespace tsr::codegen
