// What is asked whether it holds: `if`, `and`, `or`, conditional expressions.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// What `if`, `while`, `not` and their kin ask: a truth value as Python has it of numbers, strings and containers.
Value condition_value(Body& b, const ast::Expr& e);
// `asked`: only whether it holds; else the value of the operand that decides, as in Python.
Value logical(Body& b, const ast::Expr& e, const ast::Logical& l, bool asked);
Value conditional(Body& b, const ast::Expr& e, const ast::Conditional& c);

}  // namespace tsr::sema
