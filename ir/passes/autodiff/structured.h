// Derivatives of operations on whole tensors that are not element by element.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ir/build/builder.h"

namespace tsr::ir::autodiff {

// What one operand gets of the result's cotangent: a value with the operand's shape.
using Adjoint = ValueId (*)(Builder& at, OpId op, size_t operand, ValueId cotangent);
// The result's tangent, from those of the operands; an operand without one does not move.
using Tangents = std::vector<std::optional<ValueId>>;
using Tangent = ValueId (*)(Builder& at, OpId op, const Tangents& tangents);
// Why this operation has no derivative; empty: it has one.
using Refusal = std::string_view (*)(const Function& fn, OpId op);

struct StructuredRule {
    OpKind kind = OpKind::count_;
    Adjoint adjoint = nullptr;
    Tangent tangent = nullptr;
    Refusal refuses = nullptr;  // null: it always has one
};

const StructuredRule& structured_rule(OpKind kind);  // of an operation that is no element operation

}  // namespace tsr::ir::autodiff
