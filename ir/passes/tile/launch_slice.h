// Values that a launch can compute before the kernel runs: from dimensions, scalar parameters and constants.
#pragma once

#include <unordered_map>

#include "ir/core/function.h"

namespace tsr::ir {

// Made of dimensions, scalar arguments and static values by element operations alone.
bool known_at_launch(const Function& kernel, ValueId value);

// Copies of such values in a kernel's launch region.
class LaunchSlice {
public:
    explicit LaunchSlice(Function& kernel);

    ValueId copy(ValueId value);
    ValueId constant(int64_t value);
    ValueId element(OpKind kind, std::vector<ValueId> operands, DType result);
    ValueId cast_to_index(ValueId value);
    // The number of rounds of a loop, 0 when there are none. The step may have either sign.
    ValueId rounds(ValueId lower, ValueId upper, ValueId step);
    // Ends the region and makes it the kernel's.
    void yield(std::vector<ValueId> counts);

private:
    Function& kernel_;
    RegionId region_;
    std::unordered_map<ValueId, ValueId> copies_;
};

}  // namespace tsr::ir
