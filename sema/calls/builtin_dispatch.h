// Calls of built-in functions: arguments to parameters, then the function's own rule.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

Value builtin_call(Body& b, const ast::Expr& e, const ast::Call& c, const BuiltinEntry& entry,
                   const ast::Expr* receiver);

}  // namespace tsr::sema
