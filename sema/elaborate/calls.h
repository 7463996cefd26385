// Calls by kind; functions are inlined in kernels, called on the host.
#pragma once

#include "frontend/ast.h"
#include "sema/elaborate/body.h"

namespace tsr::elaborate {

Val call(Body& b, const ast::Expr& e, const ast::Call& node);
// Of a value that the checker gave a name, since several expressions read it: it is computed once.
void bind_made_name(Body& b, const ast::Expr& e);

}  // namespace tsr::elaborate
