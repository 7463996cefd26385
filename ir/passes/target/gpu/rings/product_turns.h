// Which products of a pipelined loop the warp groups of a block do in turn.
#pragma once

#include <optional>

#include "ir/core/function.h"
#include "ir/machine/gpu.h"

namespace tsr::ir {

// Of a loop whose iteration is a product, other work with its result, and a product of that: with two warp groups one
// has the tensor cores for its second product and the first one of its next iteration, while the other one does its
// other work. Without turns both want the same at the same time (FlashAttention-3, Shah et al. 2024, section 3.1).
struct ProductTurns {
    OpId passes, awaits;  // the first product, and the second
};

// Nothing where a block has not two warp groups that multiply and threads of their own that copy, the loop is none, or
// an iteration is too short to pay for two barriers. Measured on an H200, bf16, heads of 128, 128 rows, with turns and
// without: 128 columns, 2 stages 497 and 465 TFLOP/s; 64 columns, 2 stages 385 and 423, 3 stages 426 and 408 (there the
// first product is started an iteration ahead).
std::optional<ProductTurns> product_turns(const Function& kernel, OpId loop, int64_t stages, const GpuMachine& machine);

}  // namespace tsr::ir
