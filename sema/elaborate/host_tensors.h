// Tensors of host functions: views, assignment, shapes.
#pragma once

#include <vector>

#include "frontend/ast.h"
#include "sema/elaborate/body.h"
#include "sema/elaborate/rounding.h"

namespace tsr::elaborate {

// X[...] by NumPy's rules, sharing memory.
Val host_view(Body& b, const Val& tensor, const std::vector<const ast::Expr*>& items, const sema::Type& type);
Val host_transpose(Body& b, const Val& tensor, const sema::Type& type);
// view[...] = value, a tensor or a number that is rounded as the storage says.
void host_assign(Body& b, const Val& view, const Val& value, const sema::Type& type, const ast::Expr* written);

// A view in the shape that the type has.
Val host_reshape(Body& b, const Val& tensor, const sema::Type& type);
// Parts along an axis: views.
Val host_split(Body& b, const ast::Expr& e, const sema::CallInfo& info);

// `n`, `(n, m)` or `[n, m]`.
std::vector<ir::ValueId> shape_values(Body& b, const Val& shape);

}  // namespace tsr::elaborate
