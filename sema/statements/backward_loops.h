// Loops over ranges backwards, `for i in reversed(range(n)):`, where no list is made of the range.
#pragma once

#include <optional>

#include "sema/state/body.h"

namespace tsr::sema {

// The built-in function that an expression calls; nothing where it calls something else.
std::optional<Builtin> called_builtin(Body& b, const ast::Expr& e);

// The loop as one over `range(n - 1, -1, -1)`; null where it is another loop.
const LoopRounds* loop_backwards(Body& b, const ast::Stmt& stmt, const ast::For& f);

}  // namespace tsr::sema
