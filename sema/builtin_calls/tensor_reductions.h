// Reductions of whole tensors along axes.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// `x` is what the first argument of the call is, a tensor.
Value tensor_reduction(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Value& x);
// The axes that `axis=` names in a tensor of the type, sorted; nothing after a message.
std::optional<std::vector<size_t>> static_axes(Body& b, const ast::Expr* written, const Type& x);
// Of a call that reduces no tensor: says so where it has `axis=` or another parameter of those that do. False after a
// message.
bool require_no_axis(Body& b, const ast::Expr& e, const BuiltinEntry& row);

}  // namespace tsr::sema
