// `einsum`: its text, and what its tensors have to do with it.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

Value einsum_call(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Matched& m);

}  // namespace tsr::sema
