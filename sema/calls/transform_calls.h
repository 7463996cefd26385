// `vjp`, `jvp`, `hvp`: derivatives for arguments that are given at once; calls of functions that were made of others.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

Value transform_call(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Matched& m);

// A call that the checker made, of a function that no name stands for.
Value transformed_call(Body& b, const ast::Expr& call, FunctionId function);
// A call of a function that holds values, which come before the arguments that are written.
Value held_call(Body& b, const ast::Expr& e, const ast::Call& c, const Type& function);

}  // namespace tsr::sema
