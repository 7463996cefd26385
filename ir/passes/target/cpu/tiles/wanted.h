// Which elements of a tile are ever looked at.
#pragma once

#include "ir/core/function.h"
#include "ir/passes/target/cpu/tiles/uses.h"

namespace tsr::ir {

// The stores through which alone a tile of two axes, or what element operations and loops make of it, is seen; empty
// where it is seen otherwise. What lies outside of the memory of all of them need not be computed.
std::vector<OpId> stores_of(const Function& kernel, const Uses& uses, ValueId tile);

}  // namespace tsr::ir
