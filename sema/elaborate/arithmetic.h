// Numbers: which type an operation works in, when a product and a sum are one fused operation, what is evaluated where
// (language reference, section 3, numerics rules 2 and 3).
#pragma once

#include <functional>
#include <optional>

#include "frontend/ast.h"
#include "sema/elaborate/body.h"

namespace tsr::elaborate {

// The element type in the language; nothing for what has none yet.
std::optional<DType> element_type(Body& b, const Val& value);
// The type that arithmetic on these works in when the checker does not say.
DType computing_type(Body& b, const Val& lhs, const Val& rhs);

// On the host: a zero ends the program with the message.
void require_nonzero(Body& b, const Val& value, DType type, const std::string& message);

// `lhs op rhs` in the compute type; the value's type in the language is `type`.
Val arithmetic(Body& b, ast::BinaryOp op, const Val& lhs, const Val& rhs, DType compute, std::optional<DType> type);
// An operation of the elementwise vocabulary on operands brought to `compute`; static operands become constants.
Val element_operation(Body& b, ir::OpKind kind, const std::vector<Val>& operands, DType compute,
                      std::optional<DType> type);

Val unary(Body& b, const ast::Expr& e, const ast::Unary& node);
Val binary(Body& b, const ast::Expr& e, const ast::Binary& node);
Val compare(Body& b, const ast::Expr& e, const ast::Compare& node);
Val logical(Body& b, const ast::Expr& e, const ast::Logical& node);
Val conditional(Body& b, const ast::Expr& e, const ast::Conditional& node);

// Whether a value holds as a condition: a static truth value, or one of the IR.
Val truth_value(Body& b, const Val& value, const sema::Type& type);
Val condition(Body& b, const ast::Expr& e);

// `lhs and rhs()`; the right side stands under the left one unless it may be evaluated early.
Val both(Body& b, const Val& lhs, const std::function<Val()>& rhs);

// The value that `target op= value` stores, before it is rounded to the target's type.
Val combine_augmented(Body& b, const ast::AugmentedAssign& statement, const Val& before,
                      const sema::AugmentedInfo& info);

// `then()` where the test holds, else `otherwise()`, as a value of the type.
Val chosen(Body& b, ir::ValueId test, const sema::Type& type, const std::function<Val()>& then,
           const std::function<Val()>& otherwise);

// Two values of a choice in one type, for `select` and for sides of an `if`.
void unify(Body& b, Val& then, Val& otherwise, const sema::Type& type);

}  // namespace tsr::elaborate
