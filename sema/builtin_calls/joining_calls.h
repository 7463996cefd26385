// Calls that make one tensor of several, or several of one: `concat`, `stack`, `split`, `pad`, `einsum`.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

Value joining_call(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Matched& m);

}  // namespace tsr::sema
