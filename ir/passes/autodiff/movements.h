// Derivatives of operations that put elements in other places.
#pragma once

#include "ir/passes/autodiff/structured.h"

namespace tsr::ir::autodiff {

ValueId reshape_adjoint(Builder& at, OpId op, size_t operand, ValueId cotangent);
ValueId slice_adjoint(Builder& at, OpId op, size_t operand, ValueId cotangent);
ValueId slice_tangent(Builder& at, OpId op, const Tangents& tangents);
ValueId pad_adjoint(Builder& at, OpId op, size_t operand, ValueId cotangent);
ValueId pad_tangent(Builder& at, OpId op, const Tangents& tangents);
ValueId concat_adjoint(Builder& at, OpId op, size_t operand, ValueId cotangent);
ValueId concat_tangent(Builder& at, OpId op, const Tangents& tangents);
ValueId update_adjoint(Builder& at, OpId op, size_t operand, ValueId cotangent);
ValueId update_tangent(Builder& at, OpId op, const Tangents& tangents);

}  // namespace tsr::ir::autodiff
