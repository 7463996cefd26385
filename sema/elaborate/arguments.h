// What a call passes.
#pragma once

#include <vector>

#include "frontend/ast.h"
#include "sema/elaborate/body.h"

namespace tsr::elaborate {

// The expression for a parameter of a builtin; nullptr where it was left out.
const ast::Expr* argument(Body& b, const sema::CallInfo& info, size_t parameter);
// Its value; undefined where it was left out.
Val argument_value(Body& b, const sema::CallInfo& info, size_t parameter);

// Values for the parameters of a user's function, in its parameters' types.
std::vector<Val> argument_values(Body& b, const sema::CallInfo& info);

}  // namespace tsr::elaborate
