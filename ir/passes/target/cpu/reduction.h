// What a reduction does to two values, and where it starts.
#pragma once

#include "ir/core/function.h"

namespace tsr::ir {

OpKind combine(ReduceOp kind);

// The attribute of a constant that changes no value it is combined with.
AttrValue reduce_identity(ReduceOp kind, DType type);

}  // namespace tsr::ir
