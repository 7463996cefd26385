// How a tile lies in a worker's memory, or in a packed operand.
#pragma once

#include <vector>

#include "ir/ops/register.h"

namespace tsr::ir {

// Where a tile lies in the worker's scratch memory. Rows are padded to whole vectors.
struct Home {
    ValueId pointer;
    std::vector<int64_t> strides;  // elements, per axis; 0 along axes of which one position is kept
    // Columns in panels of so many, one panel after the other, `panel_stride` elements apart; 0: rows are whole.
    int64_t panel = 0;
    int64_t panel_stride = 0;
};

inline constexpr int64_t kCacheLine = 64;  // bytes
inline int64_t padded(int64_t count, int64_t to) { return (count + to - 1) / to * to; }

// Distances in elements along each axis of a tile. Rows begin at whole vectors of `lanes` 32-bit elements, and are not
// a power of two apart: such rows would share few sets of a cache.
std::vector<int64_t> home_strides(const Type& tile, int64_t lanes);

}  // namespace tsr::ir
