// Comparisons, `and`, `or`, conditional expressions: what is evaluated only where it is needed.
#pragma once

#include <functional>

#include "frontend/ast.h"
#include "sema/elaborate/body.h"

namespace tsr::elaborate {

Val compare(Body& b, const ast::Expr& e, const ast::Compare& node);
Val logical(Body& b, const ast::Expr& e, const ast::Logical& node);
Val conditional(Body& b, const ast::Expr& e, const ast::Conditional& node);

// Whether a value holds as a condition: a static truth value, or one of the IR.
Val truth_value(Body& b, const Val& value, const sema::Type& type);
Val condition(Body& b, const ast::Expr& e);

// `lhs and rhs()`; the right side stands under the left one unless it may be evaluated early.
Val both(Body& b, const Val& lhs, const std::function<Val()>& rhs);

// `then()` where the test holds, else `otherwise()`, as a value of the type. Elements that are not rounded yet are held
// in `compute`.
Val chosen(Body& b, ir::ValueId test, const sema::Type& type, std::optional<DType> compute,
           const std::function<Val()>& then, const std::function<Val()>& otherwise);

// Two values of a choice in one type, for `select` and for sides of an `if`.
void unify(Body& b, Val& then, Val& otherwise, const sema::Type& type, std::optional<DType> compute);

}  // namespace tsr::elaborate
