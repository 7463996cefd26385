// Sums in a loop of types so narrow that they lose digits or wrap around.
#pragma once

#include "frontend/ast.h"
#include "sema/state/body.h"

namespace tsr::sema {

// Of `s = s + x`, `s = x + s`, `s = s - x`: what is added to the variable. nullptr: this is no sum.
const ast::Expr* added_to(const ast::Expr& target, const ast::Expr& value);

void warn_of_narrow_sum(Body& b, const ast::Stmt& stmt, const ast::Expr& target, ast::BinaryOp op, const Type& sum,
                        const ast::Expr& added);

}  // namespace tsr::sema
