// Loops: what they iterate, whether they run at all, which indices are static when the loop is unrolled.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

void for_loop(Body& b, const ast::Stmt& stmt, const ast::For& f);
void while_loop(Body& b, const ast::Stmt& stmt, const ast::While& w);

}  // namespace tsr::sema
