// Operations that stand for derivatives → the derivatives.
#pragma once

#include <set>
#include <string>

#include "ir/passes/pass.h"

namespace tsr::ir {

// Replaces each `vjp` and `jvp` by what it computes: the derivative of the function that it names is made as a function
// of its own, once for all that ask for the same, and put in its place. Derivatives of derivatives: the inner one
// first. A function that only they named is dropped, unless it is one of `kept`, which others call.
ModulePass differentiate_pass(std::set<std::string> kept = {});

}  // namespace tsr::ir
