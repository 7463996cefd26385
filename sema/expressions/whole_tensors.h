// Whole tensors as operands: who computes with them, and how their shapes meet.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// False after a message: tensors are computed with on the host and in graph functions, a kernel has their elements.
// True where no operand is a tensor.
bool require_no_kernel(Body& b, Span at, const std::string& what, const std::vector<Value>& operands);
// False after a message: two extents differ whatever the program is given.
bool require_extents(Body& b, const ast::Expr& le, const Value& l, const ast::Expr& re, const Value& r, Span at,
                     const std::string& what);
// Notes what the run is to compare of the extents of an operator's operands.
void note_extents(Body& b, const ast::Expr& e, const std::vector<Value>& operands);

}  // namespace tsr::sema
