// Loops of the host whose rounds run many graphs of one expression each.
#pragma once

#include "frontend/ast.h"
#include "sema/state/body.h"

namespace tsr::sema {

// Of an outermost loop, when its body is checked.
void warn_of_small_graphs(Body& b, Span header, const ast::Block& body);

}  // namespace tsr::sema
