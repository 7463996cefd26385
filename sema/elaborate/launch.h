// Launches of kernels.
#pragma once

#include "frontend/ast.h"
#include "sema/elaborate/body.h"

namespace tsr::elaborate {

// A kernel's launch, with the checks that are left for it.
Val launch(Body& b, const ast::Expr& e, const sema::CallInfo& info);
// The body of what a launch is as a function of values (`DerivationKind::launch`), which is the function of the frame.
std::vector<ir::ValueId> values_of_launch(Body& b, const sema::Instance& made);

}  // namespace tsr::elaborate
