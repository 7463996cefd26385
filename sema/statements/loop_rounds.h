// Loops that are checked as if their rounds were written one after the other, each with types of its own:
// - over dictionaries whose keys are in their type and whose items differ in type, `for name, w in params.items():`;
// - over tuples whose items differ in type, `for f in (relu, tanh):`;
// - in graph functions those in which a list changes its length, `for t in range(8): ys.append(h)`.
// In graph functions a loop over the rows of tensors, `for x in xs:`, is one over their first axis.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// The rounds one after the other, as one statement; null where the loop is none of these.
const ast::Stmt* loop_rounds(Body& b, const ast::Stmt& stmt, const ast::For& f);

// A loop that is not written out changes the length of a list: it has another one in each round, and behind the loop.
void forget_lengths(Body& b, const ast::Block& body);

}  // namespace tsr::sema
