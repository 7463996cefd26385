// Operators: which types meet, what the result is, what it is computed in (numerics rules 1 to 3).
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

void offer_joining_cast(Body& b, Diagnostic& d, const ast::Expr& le, const Type& l, const ast::Expr& re, const Type& r);
Value unary(Body& b, const ast::Expr& e, const ast::Unary& u);
Value binary(Body& b, const ast::Expr& e, const ast::Binary& operation);
Value arithmetic(Body& b, const ast::Expr& at, ast::BinaryOp op, const ast::Expr& lhs_expr, const Value& lhs,
                 const ast::Expr& rhs_expr, const Value& rhs, Span op_span);
Value comparison(Body& b, const ast::Expr& e, const ast::Compare& c);
// The join of two operands' types with the message if there is none.
std::optional<Type> operands_join(Body& b, const ast::Expr& lhs_expr, const Value& lhs, const ast::Expr& rhs_expr,
                                  const Value& rhs, Span op_span, const std::string& what);

}  // namespace tsr::sema
