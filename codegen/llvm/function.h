// What functions of every level share: calls of the runtime, scalars as 64 bits.
#pragma once

#include <string>

#include "base/dtype.h"
#include "codegen/llvm/build.h"

namespace tsr::codegen {

// Calls the C function `name`; `result` null: none. Its type follows from the arguments; a bool argument or result is
// an int32_t in C.
llvm::Value* call_runtime(Build& build, const std::string& name, llvm::Type* result,
                          llvm::ArrayRef<llvm::Value*> arguments);

// A scalar in the low bytes of 64 bits, the rest zero, and back.
llvm::Value* scalar_bits(Build& build, DType type, llvm::Value* scalar);
llvm::Value* scalar_from_bits(Build& build, DType type, llvm::Value* bits);

}  // namespace tsr::codegen
