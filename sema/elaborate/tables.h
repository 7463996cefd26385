// Lists of numbers that a module assigns once, in kernels: static indices give their elements, others choose
// among them.
#pragma once

#include "frontend/ast.h"
#include "sema/elaborate/body.h"

namespace tsr::elaborate {

// `K[i]` or `K[i][j]`, of the list that K stands for.
Val table_item(Body& b, const ast::Expr& e, const sema::Static& list);

}  // namespace tsr::elaborate
