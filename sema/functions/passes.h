// The passes over one body: in silence until the types of its variables do not change any more, then once aloud.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// Header, then the body.
void check_function(Body& b, const Request& request);
void check_module(Body& b, const ast::Module& tree);
// The value of a module-level expression, if it is static; says nothing.
std::optional<Static> evaluate_constant(Body& b, const ast::Expr& expr);

}  // namespace tsr::sema
