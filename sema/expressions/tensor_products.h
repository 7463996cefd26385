// `a @ b` of whole tensors: numpy.matmul's shapes, numerics rule 4.
#pragma once

#include <optional>
#include <string>

#include "sema/state/body.h"

namespace tsr::sema {

// The element type of a product's factors, of one element each: the one that both join to. Two floats of at most 8
// bits, or two integers of at most 8 bits, need not join (numerics rule 4): then it is the first one's. Nothing after a
// message.
std::optional<Type> factors_join(Body& b, const ast::Expr& le, const Value& l, const ast::Expr& re, const Value& r,
                                 Span op_span, const std::string& what);

// The last axis of `a` meets the last but one of `b` (its only one where it has one); axes before are batches.
Value tensor_product(Body& b, const ast::Expr& at, const ast::Expr& le, const Value& l, const ast::Expr& re,
                     const Value& r, Span op_span);

}  // namespace tsr::sema
