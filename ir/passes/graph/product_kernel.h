// A fused function with a product as the program of one tile: a grid loop over blocks of the result, a loop over the
// summed axis, and what else the fusion computes on the block of the result while it is in registers.
#pragma once

#include "ir/passes/graph/fused_kernel.h"

namespace tsr::ir {

// The `contract` of a fused function; invalid where it has none.
OpId product_in(const Function& fused);

// What each letter of a product is.
struct ProductAxes {
    std::string batch;  // in both operands and the result
    char row = 0, column = 0, sum = 0;
};
// Of a product of matrices, with or without batch axes: row and sum stand last in a, in any order, sum and column in b,
// row and column in the result. Nothing for any other.
std::optional<ProductAxes> product_axes(const Function& graph, OpId contract);

FusedKernel product_kernel(const Function& fused);

}  // namespace tsr::ir
