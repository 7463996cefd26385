// Operands of products that all groups would bring into the same form are brought into it once, before they run.
#pragma once

#include <vector>

#include "ir/core/function.h"

namespace tsr::ir {

// ceil(extent / step) blocks along an axis; the extent is the symbol of that number, or a constant.
struct BlockAxis {
    int32_t symbol = -1;  // -1: `extent`
    int64_t extent = 0;
    int64_t step = 1;
};

// A kernel of its own: group number b of it fills block b. Its parameters are the kernel's and, last, the buffer.
struct PackedOperand {
    Function kernel;              // in group form
    std::vector<BlockAxis> axes;  // the blocks are numbered with the last axis fastest
    int64_t block_bytes = 0;
};

// `kernel` is in group form, its products widened, with a plan that says so. A load of a tensor that nothing here
// writes, at whole steps of loops over the groups and over k, that does not depend on all axes of the grid, is replaced
// by its block of a buffer: one more parameter of the kernel per answer, in their order (`KernelInfo::packed` of them,
// the last ones).
std::vector<PackedOperand> pack_operands(Function& kernel);

}  // namespace tsr::ir
