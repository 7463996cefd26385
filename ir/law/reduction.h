// Where a reduction starts.
#pragma once

#include "ir/law/scalar.h"

namespace tsr::ir {

// The value that leaves every other one as it is when they are combined. Of a sum of floats it is -0: 0 + -0 is 0, so
// that a sum of negative zeros would lose its sign.
Bits reduction_identity(ReduceOp op, DType type);
// What a whole tensor without elements gives: of sums 0, not -0, which changes no other.
Bits reduction_of_nothing(ReduceOp op, DType type);
// The same as a constant's attribute.
AttrValue reduction_start(ReduceOp op, DType type);

}  // namespace tsr::ir
