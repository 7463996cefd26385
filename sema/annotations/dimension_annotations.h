// Dimensions as programs write them in types: integers, names, and arithmetic on them.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// Records the expression as an index. Nothing after a message. `in_header`: names that nothing binds are symbols.
std::optional<ir::Dim> dimension(Body& b, const ast::Expr& e, bool in_header);

}  // namespace tsr::sema
