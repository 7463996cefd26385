// Operators of tensors of complex numbers: functions of stdlib/complex_numbers.tsr.
#pragma once

#include "frontend/ast.h"
#include "sema/state/body.h"

namespace tsr::sema {

// Nothing where neither operand is complex.
std::optional<Value> complex_arithmetic(Body& b, const ast::Expr& e, const ast::Binary& operation,
                                        const std::string& what, const Value& l, const Value& r);
std::optional<Value> complex_comparison(Body& b, const ast::Expr& e, const ast::Compare& comparison);
std::optional<Value> complex_unary(Body& b, const ast::Expr& e, const ast::Unary& operation, const Value& operand);

}  // namespace tsr::sema
