// Statements. Structured code becomes SSA: what a statement assigns is held by the body's slots; `break`, `continue`
// and early `return` become flags, static where the text shows them and carried conditions elsewhere.
#pragma once

#include <functional>
#include <set>

#include "frontend/ast.h"
#include "sema/elaborate/body.h"

namespace tsr::elaborate {

void block(Body& b, const ast::Block& statements);

// The body of a function or lambda; the frame's result slot then holds what it returned.
void run_function(Body& b, const sema::Function& function);

// Stores in a name, a tuple of targets, an element, a view.
void assign_to(Body& b, const ast::Expr& target, const Val& value);

// What the statements of a loop's body may do to what stands around it.
struct LoopEffects {
    std::set<Slot> assigned;  // variables of the current frame
    bool leaves = false;      // `break` of this loop
    bool returns = false;
    Span left_at;  // the first statement that leaves the loop
};
LoopEffects effects_of(Body& b, const ast::Block& statements);

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
