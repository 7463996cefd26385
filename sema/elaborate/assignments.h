// Giving targets their values.
#pragma once

#include "frontend/ast.h"
#include "sema/elaborate/body.h"

namespace tsr::elaborate {

// Stores in a name, a tuple of targets, an element, a view.
void assign_to(Body& b, const ast::Expr& target, const Val& value);

// Gives the targets of a loop their values, and the dimensions that are bound where they stand.
void bind_target(Body& b, const ast::Expr& target, const Val& element);

}  // namespace tsr::elaborate
