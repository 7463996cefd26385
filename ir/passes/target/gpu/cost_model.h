// What the products of a kernel cost on a GPU, told before there is code: from what they move and the machine's rates.
//
// A round of a loop takes as long as the slowest of its parts, which run beside each other: multiply-adds over the rate
// of the machine's products, bytes over the rates of shared memory and of the second cache, and what is left of the
// latency of memory by the rounds on their way. Without a ring the parts follow each other. (The bound by bytes at each
// level: Williams, Waterman, Patterson, "Roofline", 2009.)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/core/function.h"
#include "ir/machine/gpu.h"

namespace tsr::ir {

// One loop over products.
struct LoopCost {
    double alone = 0;  // cycles for one step of the loop's index, of a block that has a multiprocessor for itself
    double busy = 0;   // cycles of a multiprocessor for 1024 multiply-adds, while all of them have blocks enough
};

// Of all loops that multiply by themselves, in the order of the text. `kernel`: in group form with a plan for the
// machine, divided by it. Empty where something is not known before the launch.
std::vector<LoopCost> product_costs(const Function& kernel, const GpuMachine& machine);

inline constexpr double kSteps = 1024;  // of a loop, in messages

// Two points of one tuning.
struct Priced {
    std::vector<int64_t> steps;  // of the grid
    std::vector<LoopCost> loops;
};
// Whether the first one takes longer for all sizes, and more than twice as long for large ones: alone as well as with
// all multiprocessors busy, where every group of the other one may lie outside of the tensor but for as much as a group
// of this one.
bool clearly_worse(const Priced& point, const Priced& other);

}  // namespace tsr::ir
