// What every emitter of instructions is given.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "codegen/llvm/machine.h"

namespace tsr::codegen {

// Instructions go where `ir` stands; no flag that lets LLVM change a float's bits is ever set on it.
struct Build {
    llvm::IRBuilder<>& ir;
    const Machine& machine;
    int emulated_fmas = 0;  // of the function that is written: see emit_fma

    [[nodiscard]] llvm::LLVMContext& context() const { return ir.getContext(); }
};

}  // namespace tsr::codegen
