// `+`, `*`, comparison and `in` of strings, lists, tuples and dictionaries; equality of records.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// Nothing where the operands are no sequences: numbers have their own rules.
std::optional<Value> sequence_arithmetic(Body& b, ast::BinaryOp op, const Value& l, const Value& r);
// A tuple, or a list that is written out.
bool has_written_elements(const Value& whole);
// In kernels and graph functions: a number or string is looked for in such elements. Gives the type in which it is
// compared, nothing after a message.
std::optional<DType> in_elements(Body& b, const ast::Expr& lhs_expr, const Value& lhs, const ast::Expr& rhs_expr,
                                 const Value& rhs);
// Whether a link of a comparison is of sequences or an `in`; messages are given here.
bool compare_sequences(Body& b, ast::CompareOp op, const ast::Expr& lhs_expr, const Value& lhs,
                       const ast::Expr& rhs_expr, const Value& rhs);

}  // namespace tsr::sema
