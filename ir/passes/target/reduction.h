// Where a reduction starts.
#pragma once

#include "ir/ops/reduction.h"

namespace tsr::ir {

// The attribute of a constant that changes no value it is combined with.
AttrValue reduce_identity(ReduceOp kind, DType type);

}  // namespace tsr::ir
