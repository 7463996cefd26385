// Expressions by kind.
#pragma once

#include "frontend/ast.h"
#include "sema/elaborate/body.h"

namespace tsr::elaborate {

Val expression(Body& b, const ast::Expr& e);
// Its static value where the rounds of the loops around are known; nothing where they are not, or where it has none.
std::optional<sema::Static> static_in_round(Body& b, const ast::Expr& e);

// Element `index` of a tuple, list or vector: by name where it is static, else chosen when the program runs.
Val element_of(Body& b, const Val& whole, const Val& index);

}  // namespace tsr::elaborate
