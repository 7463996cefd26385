// The register tiles in which blocks of a GPU go through the rows of a fused function. Its memory is far from its
// arithmetic: what a later phase takes again waits in registers, so that a row is read once.
#pragma once

#include <vector>

#include "ir/passes/graph/fused_kernel.h"

namespace tsr::ir {

struct RowsOnGpu {
    RowTile tile;
    int64_t longest = kAnyLength;  // elements of a row
};

// By the length of rows, the shortest first: each does what is too long for those before it. Empty where GPUs do rows
// as CPUs do (`RowWork::group`).
std::vector<RowsOnGpu> rows_on_gpu(const Function& fused, const FusedAxes& axes);

}  // namespace tsr::ir
