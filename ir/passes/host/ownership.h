// Counted references of host programs: who gives them back.
#pragma once

#include "ir/core/function.h"

namespace tsr::ir {

// Inserts retains and releases of tensors, strings and containers. The law: a region owns one reference to each counted
// value that its operations make and to each that its loop carries. It gives the reference back behind the last
// operation that uses the value. Where that operation is a loop that starts with the value, or the `yield`, the
// reference passes on to the loop or to the operation around; other values that a region yields, or a loop starts with,
// are retained first. Parameters are borrowed from the caller.
void place_ownership(Function& host);

}  // namespace tsr::ir
