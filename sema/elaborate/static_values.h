// Static values that differ by the iteration of an unrolled loop.
#pragma once

#include <optional>

#include "frontend/ast.h"
#include "sema/elaborate/body.h"

namespace tsr::elaborate {

// The static value of an expression where the rounds of the loops around are known; nothing where they are not, or
// where it has none.
std::optional<sema::Static> static_in_round(Body& b, const ast::Expr& e);

}  // namespace tsr::elaborate
