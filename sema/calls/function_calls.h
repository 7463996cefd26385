// Calls of the program's own functions and launches of its kernels.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

Value function_call(Body& b, const ast::Expr& e, const ast::Call& c, FunctionId id,
                    const std::vector<const ast::Expr*>& groups, const ast::Expr* receiver = nullptr);

}  // namespace tsr::sema
