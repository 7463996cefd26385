// How types of the IR are held in LLVM.
#pragma once

#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Value.h>

#include "ir/core/type.h"

namespace tsr::codegen {

// The register form of an element: bool is i1; i4 lies sign-extended in an i8; bf16 is its 16 bits; floats of 8 bits
// or fewer and e8m0 are their code in an i8; index is i64. Null for c64, which has none.
llvm::Type* element_type(llvm::LLVMContext& context, DType type);

// The memory form: as the register form, but bool is a byte.
llvm::Type* memory_type(llvm::LLVMContext& context, DType type);

// A scalar, a vector, or a pointer.
llvm::Type* value_type(llvm::LLVMContext& context, const ir::Type& type);

// `element`, or as many of them as `like` has lanes.
llvm::Type* shaped_like(llvm::Type* like, llvm::Type* element);
inline llvm::Type* shaped_like(llvm::Value* like, llvm::Type* element) { return shaped_like(like->getType(), element); }

// Bytes between neighbours in memory.
unsigned memory_bytes(DType type);

}  // namespace tsr::codegen
