// What is known of a view before its dimensions are: that it ends inside of its memory.
#pragma once

#include "ir/ops/register.h"

namespace tsr::ir {

// Whether `start` + `extent` is at most `end` whatever the dimensions are. The starts that it knows are counters of
// loops and of grids, and what is made of them by +, - and * with constants and dimensions.
bool ends_inside(const Function& kernel, ValueId start, int64_t extent, const Dim& end);

}  // namespace tsr::ir
