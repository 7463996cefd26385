// Tensors that a graph makes of numbers.
#pragma once

#include <optional>

#include "frontend/ast.h"
#include "sema/elaborate/body.h"

namespace tsr::elaborate {

// `zeros`, `full`, `arange` and their kin; nothing for other builtins.
std::optional<Val> graph_making(Body& b, const ast::Expr& e, const sema::CallInfo& info);

}  // namespace tsr::elaborate
