// Random tensors that a graph makes.
#pragma once

#include <optional>

#include "frontend/ast.h"
#include "sema/elaborate/body.h"
#include "sema/elaborate/random.h"

namespace tsr::elaborate {

// The shape of a whole tensor that a graph makes; none of a number.
std::vector<ir::Dim> shape_in_function(Body& b, const sema::Type& type);

// A tensor or number of a graph in the narrower type: each element is rounded to one of its neighbours, by the word of
// its number.
ir::ValueId rounded_by_chance(Body& b, const RandomKey& key, ir::ValueId value, DType type);

// `rand`, `randint` and their kin, with the bits that the runtime gives on the host (runtime/abi.h, randomness);
// nothing for other builtins.
std::optional<Val> graph_random(Body& b, const ast::Expr& e, const sema::CallInfo& info);

}  // namespace tsr::elaborate
