// The part of a product's accumulator that stays in vector registers.
#pragma once

#include "ir/ops/register.h"

namespace tsr::ir {

inline int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Rows of it, and vectors of its columns.
struct Panel {
    int64_t rows;
    int64_t vectors;
    int64_t elements;  // of a vector
    [[nodiscard]] int64_t columns() const { return vectors * elements; }
};

// The fastest for an accumulator of this type, of vectors of `lanes` 32-bit elements in so many registers.
ProductPanel best_panel(const Type& accumulator, int64_t lanes, int64_t registers);
// What the plan says of it.
Panel panel_of(const Type& accumulator, const Plan& plan);
// It is a product of words that the matrix unit does; others the vector unit does.
bool by_matrix_unit(const MmaOp& product, const Plan& plan);
// The columns of such a panel, where the product's second operand lies in panels of as many: they are whole vectors of
// the loops that fill it. 0: it lies in rows.
int64_t panel_columns(const MmaOp& product, const Plan& plan);

}  // namespace tsr::ir
