// Calls by kind; functions are inlined in kernels, called on the host.
#pragma once

#include "frontend/ast.h"
#include "sema/elaborate/body.h"

namespace tsr::elaborate {

Val call(Body& b, const ast::Expr& e, const ast::Call& node);

}  // namespace tsr::elaborate
