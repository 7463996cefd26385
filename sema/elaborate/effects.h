// What the rounds of a loop may do, which is asked before the loop is elaborated.
#pragma once

#include <set>

#include "frontend/ast.h"
#include "sema/elaborate/body.h"

namespace tsr::elaborate {

// What the statements of a loop's body may do to what stands around it.
struct LoopEffects {
    std::set<Slot> assigned;  // variables of the current frame
    bool leaves = false;      // `break` of this loop
    bool returns = false;
    Span left_at;  // the first statement that leaves the loop
};
LoopEffects effects_of(Body& b, const ast::Block& statements);

// Arrays of each tile that statements write: by their elements, or in a function that is given them.
void add_written_locals(Body& b, const ast::Expr& array, LoopEffects& found);
void add_given_locals(Body& b, Span range, LoopEffects& found);

}  // namespace tsr::elaborate
