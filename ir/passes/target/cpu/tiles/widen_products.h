// Operands of products in the form that the vector units of a CPU multiply.
#pragma once

#include "ir/core/function.h"

namespace tsr::ir {

// After it both operands of every `mma` are register tiles of the type it accumulates in, and b is not given
// transposed. Conversions are exact, and stand where the operand is made: once for all products that take it.
void widen_products(Function& kernel);

}  // namespace tsr::ir
