// `for` and `while`: in the IR with what they carry, or unrolled.
#pragma once

#include <functional>

#include "frontend/ast.h"
#include "sema/elaborate/effects.h"

namespace tsr::elaborate {

void for_statement(Body& b, const ast::Stmt& stmt, const ast::For& loop);
void while_statement(Body& b, const ast::While& loop);

// Runs `body` for each element of a comprehension's iterable: one after the other where the checker says so, else in a
// loop. `effects`: what `body` does beside assigning to the targets; it may leave the loop by its flags.
using RoundBody = std::function<void(LoopFlags)>;
void for_each_round(Body& b, const ast::Expr& e, const sema::ForInfo& info, LoopEffects effects, const RoundBody& body);

// Runs `body` for the positions 0 … count - 1 of a host program, in a loop.
// `effects`: what `body` assigns.
void for_each_position(Body& b, Span range, const Val& count, LoopEffects effects,
                       const std::function<void(const Val&)>& body);

}  // namespace tsr::elaborate
