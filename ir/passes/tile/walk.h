// Walks over the operations of a function, and questions about where they stand.
#pragma once

#include <functional>

#include "ir/ops/effects.h"

namespace tsr::ir {

// Every operation below a region, parents before what is in them.
void walk(const Function& function, RegionId region, const std::function<void(OpId)>& visit);

// True when an operation below the region satisfies the predicate.
bool any_below(const Function& function, RegionId region, const std::function<bool(const Op&)>& predicate);
// The same for the operation itself and all that is in it.
bool any_in(const Function& function, OpId op, const std::function<bool(const Op&)>& predicate);

// The tensor parameter or `buffer` result behind a handle.
ValueId memory_root(const Function& function, ValueId memory);

// Whether `inner` stands in a region of `outer`, or in regions below.
bool stands_below(const Function& function, OpId inner, OpId outer);
// The operation that defines the value or owns the region whose argument it is; invalid for a parameter.
OpId defining_op(const Function& function, ValueId value);

}  // namespace tsr::ir
