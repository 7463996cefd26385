// A fused function with a product as the program of one tile: a grid loop over blocks of the result, a loop over the
// summed axis, and what else the fusion computes on the block of the result while it is in registers.
#pragma once

#include "ir/ops/graph.h"
#include "ir/passes/graph/fused_kernel.h"

namespace tsr::ir {

// The `contract` of a fused function; invalid where it has none.
OpId product_in(const Function& fused);

// Which letters of a product are the rows and columns of its blocks, and the depth of a step of its sum. All others are
// gone through one by one: those of the result by the grid, `others` of the sum.
struct ProductAxes {
    bool swapped = false;  // the rows are b's: blocks have rows and columns in the order of the result
    char row = 0, column = 0, sum = 0;
    std::string others;
};
ProductAxes product_axes(const ContractOp& contract);

FusedKernel product_kernel(const Function& fused);

}  // namespace tsr::ir
