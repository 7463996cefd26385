// The smaller and the greater of two floats with AVX-512.
#pragma once

#include <llvm/IR/Function.h>

namespace tsr::codegen {

// `maximum` and `minimum` of whole vectors become vrangeps and vrangepd, which tell -0 from 0, and a sum where one of
// the two is NaN, which vrange leaves out (Intel SDM, "VRANGEPS"): three instructions, where comparisons take six.
void range_at_once(llvm::Function& function);

}  // namespace tsr::codegen
