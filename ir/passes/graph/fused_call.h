// The call of a fused function in a Host function becomes allocations and launches of kernels.
#pragma once

#include <optional>
#include <vector>

#include "ir/passes/graph/kernel_steps.h"

namespace tsr::ir {

// The kernels of one fused function.
struct FusedCode {
    Function fused;
    FusedKernel kernel;
    // Where it combines along an axis, or has blocks of axes, whose extents only the run knows: if one of these `rows`
    // is shorter than kShortRow, each row or element is done by one tile.
    std::optional<FusedKernel> short_rows;
    std::vector<Dim> rows;
    Dim row;  // the extent of the axis that it combines along
    // Where the program runs on a GPU, and the row is not that short: the first of these whose rows are long enough.
    struct OnGpu {
        FusedKernel kernel;
        int64_t longest = 0;  // elements of a row
    };
    std::vector<OnGpu> on_gpu;
    // Where it combines a whole tensor: `kernel` gives one partial result per chunk, and each of these combines those
    // of one result.
    std::vector<FusedKernel> totals;
    // Of an operation that stands alone: what is done instead of `kernel`.
    std::optional<StepCode> alone;
};

// `call` names the fused function; it is taken out.
void lower_fused_call(Function& host, OpId call, const FusedCode& code);

}  // namespace tsr::ir
