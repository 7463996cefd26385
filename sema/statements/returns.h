// Returns: what a function gives back, declared or inferred; what a kernel may return.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

void return_statement(Body& b, const ast::Stmt& stmt, const ast::Return& r);

}  // namespace tsr::sema
