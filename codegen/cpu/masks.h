// How masks live where the processor has no registers for them.
#pragma once

#include <llvm/IR/Function.h>

namespace tsr::codegen {

// Before AVX-512 LLVM packs vectors of i1 into bytes and unpacks them, between blocks and wherever they are wider than
// a register. Here every mask becomes a vector of i32 that are all ones or zero, as comparisons make them and as blends
// and masked moves read them, and so do the and, or, select and phi of masks; only what reads a mask sees i1.
// `register_bits` is the width of a vector register. To be run after everything that simplifies: it would be undone.
void widen_masks(llvm::Function& function, unsigned register_bits);

// Where masks have registers: comparisons and additions under a mask are made such. To be run as late.
void fit_mask_registers(llvm::Function& function);

// Takes out what has no effect and no reader.
void remove_unread(llvm::Function& function);

}  // namespace tsr::codegen
