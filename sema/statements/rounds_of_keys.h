// Loops over dictionaries whose keys are in their type and whose items differ in type: `for name, w in
// params.items():`. The body is checked for each key, as if it were written so many times.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// The rounds one after the other, as one statement; null where the loop is none of these.
const ast::Stmt* rounds_of_keys(Body& b, const ast::Stmt& stmt, const ast::For& f);

}  // namespace tsr::sema
