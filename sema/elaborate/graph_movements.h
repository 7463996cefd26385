// Elements of whole tensors in other places, in graphs.
#pragma once

#include <optional>
#include <vector>

#include "frontend/ast.h"
#include "sema/elaborate/body.h"

namespace tsr::elaborate {

// `transpose`, `concat` and their kin, and `reshape`; nothing for other builtins.
std::optional<Val> graph_movement(Body& b, const ast::Expr& e, const sema::CallInfo& info);

// The axis that an argument of a call names, 0 where it is left out.
size_t movement_axis(Body& b, const sema::CallInfo& info, size_t parameter, size_t rank);

// The value of a dimension over those.
ir::ValueId dim_value(Body& b, const ir::Dim& dim);

// Tensors one behind the other along an axis.
ir::ValueId joined(Body& b, std::vector<ir::ValueId> parts, size_t axis);

// The operations; a value that has the shape already is given back.
ir::ValueId reshaped(Body& b, ir::ValueId value, const std::vector<ir::Dim>& shape);
// A block: where it starts along each axis, how many elements it has there, and its steps.
struct Block {
    std::vector<ir::ValueId> starts;
    std::vector<ir::Dim> shape;
    std::vector<int64_t> steps;
};
// All of a tensor.
Block whole_block(Body& b, ir::ValueId value);
ir::ValueId sliced(Body& b, ir::ValueId value, const Block& block);

}  // namespace tsr::elaborate
