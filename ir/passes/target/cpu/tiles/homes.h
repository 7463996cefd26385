// How a tile lies in a worker's memory, or in a packed operand.
#pragma once

#include <vector>

#include "ir/ops/register.h"

namespace tsr::ir {

// Distances in elements along each axis of a tile. Rows begin at whole vectors of `lanes` 32-bit elements, and are not
// a power of two apart: such rows would share few sets of a cache.
std::vector<int64_t> home_strides(const Type& tile, int64_t lanes);

}  // namespace tsr::ir
