// Launches of kernels, and what shapes must be where the checker could not decide.
#pragma once

#include <vector>

#include "frontend/ast.h"
#include "sema/elaborate/body.h"

namespace tsr::elaborate {

// A kernel's launch, with the checks that are left for it.
Val launch(Body& b, const ast::Expr& e, const sema::CallInfo& info);

// Before a launch: of its arguments.
void check_shapes(Body& b, const sema::CallInfo& info, const std::vector<Val>& arguments);

// Of a result or variable whose type is declared.
void check_declared_shape(Body& b, const std::vector<sema::DimCheck>& checks);

}  // namespace tsr::elaborate
