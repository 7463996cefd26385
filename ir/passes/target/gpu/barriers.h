// Where the threads of a block have to meet so that the statements of a group happen in the order of the text.
#pragma once

#include <unordered_set>

#include "ir/core/function.h"

namespace tsr::ir {

// The operations of the group's program before which a barrier must stand, beside those that the program has. Two
// accesses of one memory need one between them when one of them writes; what one thread does for the group follows in
// its own order.
std::unordered_set<OpId> place_barriers(const Function& kernel);

}  // namespace tsr::ir
