// `+`, `*`, comparison and `in` of strings, lists, tuples and dictionaries; equality of records.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// Nothing where the operands are no sequences: numbers have their own rules.
std::optional<Value> sequence_arithmetic(Body& b, ast::BinaryOp op, const Value& l, const Value& r);
// Whether a link of a comparison is of sequences or an `in`; messages are given here.
bool compare_sequences(Body& b, ast::CompareOp op, const ast::Expr& lhs_expr, const Value& lhs,
                       const ast::Expr& rhs_expr, const Value& rhs);

}  // namespace tsr::sema
