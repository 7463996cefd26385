// Elements, rows and slices of whole tensors, in graphs.
#pragma once

#include <vector>

#include "frontend/ast.h"
#include "sema/elaborate/body.h"
#include "sema/elaborate/graph_movements.h"

namespace tsr::elaborate {

// What the brackets of `x[1:, None, i]` name: a block of the tensor, and the shape that it has as a value.
struct TensorBlock {
    Block block;
    std::vector<ir::Dim> shape;
    bool whole = false;  // all of the tensor
};
// `type`: of the value, as the checker found it.
TensorBlock tensor_block(Body& b, const Val& tensor, const std::vector<const ast::Expr*>& items,
                         const sema::Type& type);

Val taken(Body& b, const Val& tensor, const TensorBlock& block, const sema::Type& type);
// The tensor with the value there, a tensor of the block's shape or one that is repeated to it.
Val updated(Body& b, const Val& tensor, const TensorBlock& block, const Val& value);

}  // namespace tsr::elaborate
