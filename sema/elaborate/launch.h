// Launches of kernels.
#pragma once

#include "frontend/ast.h"
#include "sema/elaborate/body.h"

namespace tsr::elaborate {

// A kernel's launch, with the checks that are left for it.
Val launch(Body& b, const ast::Expr& e, const sema::CallInfo& info);

}  // namespace tsr::elaborate
