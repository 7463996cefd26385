// How tiles lie that memory decides about: in rows.
#pragma once

#include <bit>

#include "ir/layout/layout.h"

namespace tsr::ir {

// Bits of the numbers below `value`.
inline int log2_up(int64_t value) { return static_cast<int>(std::bit_width(static_cast<uint64_t>(value - 1))); }

// Threads along the rows: an access of 16 bytes each (`bytes` are those of an element; 0: four elements), then lanes
// along the row as long as that does not pass its end by much, else along the axis before it; 2^warp_bits warps along
// the outer axes, what is left along the last one.
Layout layout_in_rows(const Coordinates& shape, int bytes, int warp_bits);

}  // namespace tsr::ir
