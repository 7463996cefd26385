// Scaling by powers of two with AVX-512.
#pragma once

#include <llvm/IR/Function.h>

namespace tsr::codegen {

// `value * 2^half * 2^(n - half)`, as the exponential functions end (ir/passes/math/exponential.cpp), becomes one
// vscalefps. The first product is exact there, value being near 1: both round once (Intel SDM, "VSCALEFPS").
void scale_at_once(llvm::Function& function);

}  // namespace tsr::codegen
