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

// What a captured variable holds where the call stands: in the function that has it, or that captured it itself.
Val captured_value(Body& b, const sema::Variable& captured);
// In a graph: what a function that is a graph of its own is given behind its parameters, the variables that it captured
// and the dimensions of the functions around it.
void add_hidden_arguments(Body& b, const sema::Instance& callee, std::vector<ir::ValueId>& operands);

}  // namespace tsr::elaborate
