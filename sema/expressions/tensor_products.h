// `a @ b` of whole tensors: numpy.matmul's shapes, numerics rule 4.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// The last axis of `a` meets the last but one of `b` (its only one where it has one); axes before are batches.
Value tensor_product(Body& b, const ast::Expr& at, const ast::Expr& le, const Value& l, const ast::Expr& re,
                     const Value& r, Span op_span);

}  // namespace tsr::sema
