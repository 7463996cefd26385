// Gathers that give the same elements in every iteration of a loop, moved before the loop.
#pragma once

#include "ir/core/function.h"

namespace tsr::ir {

// Of loops inside of `lanes` regions. True when something was moved.
bool hoist_gathers(Function& kernel);

}  // namespace tsr::ir
