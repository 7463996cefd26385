// Where elaboration calls itself: an expression holds calls, an inlined call holds statements, and statements hold
// expressions. Every file here may enter the recursion by these functions, and only by these; all other includes point
// from later layers to earlier ones (README.md).
#pragma once

#include "frontend/ast.h"
#include "sema/elaborate/body.h"

namespace tsr::elaborate {

// In `expressions.cpp`.
Val expression(Body& b, const ast::Expr& e);

// In `statements.cpp`.
void block(Body& b, const ast::Block& statements);
// The body of a function or lambda; the frame's result slot then holds what it returned.
void run_function(Body& b, const sema::Function& function);

}  // namespace tsr::elaborate
