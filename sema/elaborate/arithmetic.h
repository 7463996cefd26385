// Operations on numbers whose operands are evaluated, and which type they work in (language reference, section 3,
// numerics rule 2).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/ast.h"
#include "sema/elaborate/body.h"

namespace tsr::elaborate {

// The element type in the language; nothing for what has none yet.
std::optional<DType> element_type(Body& b, const Val& value);
// The same, of a static number the type that it has alone.
DType element_type_alone(Body& b, const Val& value);
// What the checker found that an expression is computed in (ExprInfo::compute).
DType compute_of(Body& b, const ast::Expr& e);

// On the host: a zero ends the program with the message.
void require_nonzero(Body& b, const Val& value, DType type, const std::string& message);

// `lhs op rhs` in the compute type; the value's type in the language is `type`.
Val arithmetic(Body& b, ast::BinaryOp op, const Val& lhs, const Val& rhs, DType compute, std::optional<DType> type);
// The shape that tiles, or tensors of a graph, have together; nothing where no operand is one.
std::optional<std::vector<ir::Dim>> joint_shape(Body& b, const std::vector<Val>& operands);
// An operation of the elementwise vocabulary on operands brought to `compute`; static operands become constants.
Val element_operation(Body& b, ir::OpKind kind, const std::vector<Val>& operands, DType compute,
                      std::optional<DType> type);

}  // namespace tsr::elaborate
