// Calls that give the elements of one tensor in other places: `transpose`, `squeeze`, `flip` and their kin.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

Value axis_call(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Matched& m);

// A static axis, 0 where none is written; nothing after a message. `rank`: of what it is an axis of.
std::optional<size_t> axis_argument(Body& b, const ast::Expr* written, const Type& x, size_t rank);
// False after a message: the first argument of the call is no tensor.
bool require_tensor(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Value& x);

}  // namespace tsr::sema
