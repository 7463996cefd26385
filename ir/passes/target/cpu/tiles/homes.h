// How a tile lies in a worker's memory, or in a packed operand.
#pragma once

#include <vector>

#include "ir/ops/register.h"

namespace tsr::ir {

// Distances in elements along each axis of a tile. Rows begin at whole vectors of `lanes` 32-bit elements, and are not
// a power of two apart: such rows would share few sets of a cache.
std::vector<int64_t> home_strides(const Type& tile, int64_t lanes);

// The part of a product's accumulator that stays in vector registers: rows of it, and vectors of its columns.
struct Panel {
    int64_t rows;
    int64_t vectors;
    int64_t elements;  // of a vector
    [[nodiscard]] int64_t columns() const { return vectors * elements; }
};
Panel choose_panel(const Type& accumulator, const Plan& plan);
// The columns of such a panel, where the product's second operand lies in panels of as many: they are whole vectors of
// the loops that fill it. 0: it lies in rows.
int64_t panel_columns(const MmaOp& product, const Plan& plan);

}  // namespace tsr::ir
