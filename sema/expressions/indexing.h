// Indexing: elements, views and buffers of a list in kernels; elements and slices on the host.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

Value subscript(Body& b, const ast::Expr& e, const ast::Subscript& s);
void check_index(Body& b, const ast::Expr& e, const Value& v, const ir::Dim& extent);
// The expression as a sum of atoms: dimensions, numbers, and source text for what is neither.
ir::Dim affine_sum(Body& b, const ast::Expr& e);

}  // namespace tsr::sema
