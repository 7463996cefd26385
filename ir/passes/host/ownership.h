// Counted references of host programs: who gives them back.
#pragma once

#include "ir/core/function.h"

namespace tsr::ir {

// Inserts retains and releases of tensors, strings and lists. The law: a region owns one reference to each counted
// value that its operations make and to each that its loop carries, and gives it back at its end; what a region yields,
// and what a loop starts with, is retained first. Parameters are borrowed from the caller. A value lives until the end
// of its region.
void place_ownership(Function& host);

}  // namespace tsr::ir
