// Rows of whole tensors by ids, `x[ids]`; the letters of gathers and scatters (ir/ops/indexed.h).
#pragma once

#include <string>

#include "frontend/ast.h"
#include "sema/elaborate/body.h"

namespace tsr::elaborate {

// Rows of x for each id: the axes of the ids stand where the axis of x stood.
std::string letters_of_rows(size_t x_rank, size_t ids_rank, size_t axis);
// An id for each element.
std::string letters_of_elements(size_t x_rank, size_t axis);

Val rows_by_ids(Body& b, const ast::Expr& e, const ast::Subscript& node);

}  // namespace tsr::elaborate
