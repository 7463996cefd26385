// Parts of tensors beside their scales: `q[2:4, :32]`, `q.T`.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// The values and the scales are sliced alike, so that what the part reads as is that part of what the whole reads as.
// Along the axis of the blocks a part begins and ends between two of them.
Value part_of_stored(Body& b, const ast::Expr& e, const ast::Subscript& s, const Value& base);
// The axis of the blocks goes where the transposed matrix has it.
Value transposed_stored(Body& b, const ast::Expr& e, const ast::Attribute& a, const Value& base);

}  // namespace tsr::sema
