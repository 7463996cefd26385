// Functions of the C library, for what has no expansion of its own.
#pragma once

#include "codegen/llvm/element.h"

namespace tsr::codegen {

// The operation as calls of libm, one per lane. f16 goes through f32.
llvm::Value* emit_libm(Build& build, const ElementOp& op);

}  // namespace tsr::codegen
