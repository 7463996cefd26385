// Calls of built-in functions that are other calls of them: `roll(x, (1, 2), axis=(0, 1))`, `cumsum(x)` of a matrix.
#pragma once

#include "sema/builtins/builtins.h"
#include "sema/state/body.h"

namespace tsr::sema {

// Nothing where the call is what it says.
std::optional<Value> other_spelling(Body& b, const ast::Expr& e, const ast::Call& c, const BuiltinEntry& row,
                                    const ast::Expr* receiver);

}  // namespace tsr::sema
