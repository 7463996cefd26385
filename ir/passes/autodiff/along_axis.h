// Derivatives of products and scans along an axis, and of sorts.
#pragma once

#include "ir/passes/autodiff/structured.h"

namespace tsr::ir::autodiff {

// Of a reduction that multiplies.
ValueId product_adjoint(Builder& at, OpId op, ValueId cotangent);
ValueId product_tangent(Builder& at, OpId op, ValueId tangent);

ValueId scan_adjoint(Builder& at, OpId op, size_t operand, ValueId cotangent);
ValueId scan_tangent(Builder& at, OpId op, const Tangents& tangents);
ValueId sort_adjoint(Builder& at, OpId op, size_t operand, ValueId cotangent);
ValueId sort_tangent(Builder& at, OpId op, const Tangents& tangents);

}  // namespace tsr::ir::autodiff
