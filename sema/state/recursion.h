// Where checking calls itself: an expression holds lambdas and calls,
// comprehensions go through items as loops do and assign to targets as
// statements do. Every file may enter the recursion by these functions, and
// only by these; all other includes point from later folders to earlier ones
// (README.md).
#pragma once

#include "sema/builtins/library.h"
#include "sema/state/body.h"

namespace tsr::sema {

// Checks and records an expression. In `expression.cpp`.
Value expression(Body& b, const ast::Expr& e);

// What the expression is of these operands: a call of a function in a file of
// the standard library. In `calls/library_calls.cpp`.
Value library_call(Body& b, const ast::Expr& e, const LibraryFunction& function,
                   const std::vector<const ast::Expr*>& operands);
// What the expression is: a call of a built-in function. The arguments may be
// such calls, made by `made_call`. In `calls/other_spellings.cpp`.
Value standing_call(Body& b, const ast::Expr& e, std::string_view function, std::vector<ast::Argument> arguments);
const ast::Expr& made_call(Body& b, Span at, std::string_view function, std::vector<ast::Argument> arguments);
// A number as a tensor of one element, which is what the expression stands for: `number[None]`. There, too.
Value expanded_number(Body& b, const ast::Expr& e, const ast::Expr& number, size_t axes);

// In `statements/statements.cpp`.
void block(Body& b, const ast::Block& statements);
// What is assigned to a name, element, field or tuple of them; `source` gave
// the value. In `statements/assign.cpp`.
void assign_to(Body& b, const ast::Expr& target, const Value& value, const ast::Expr& source);
// What a loop or the clause of a comprehension goes through. `runs`: whether it
// does at least once, for certain; `rounds_bit`: what stands for the loop in
// Value::rounds. In `statements/loops.cpp`.
void iterate(Body& b, const ast::Expr& iterable, const ast::Expr& target, ForInfo& info, bool& runs,
             uint64_t rounds_bit);

}  // namespace tsr::sema
