// Slices of whole tensors in graph functions: how many elements they take is known before the program runs.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// The extent of a slice whose bounds are checked already, of an axis with this extent; nothing after a message.
std::optional<ir::Dim> graph_slice(Body& b, const ast::Expr& e, const ir::Dim& extent);

}  // namespace tsr::sema
