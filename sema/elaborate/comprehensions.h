// Comprehensions: on the host a container that grows in a loop, in kernels the elements by name.
#pragma once

#include "frontend/ast.h"
#include "sema/elaborate/body.h"

namespace tsr::elaborate {

Val list_comprehension(Body& b, const ast::Expr& e, const ast::Comprehension& node);

// sum, any, all, min, max of a generator: item by item as it gives them, and no further than `any` and `all` ask.
Val generator_reduction(Body& b, const ast::Expr& e, sema::Builtin function, const ast::Expr& generator);

}  // namespace tsr::elaborate
