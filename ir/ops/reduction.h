// What a reduction does to two values, and which values it takes.
#pragma once

#include <optional>

#include "base/result.h"
#include "ir/core/function.h"

namespace tsr::ir {

// The element operation that combines two values.
OpKind combining(ReduceOp op);

// Of bools.
constexpr bool is_logical(ReduceOp op) { return op == ReduceOp::any || op == ReduceOp::all; }

// The reason why the operation `Attr::op` does not reduce elements of the type, if it does not.
std::optional<Failure> check_reduce(const Type& type, const Attrs& attrs);

}  // namespace tsr::ir
