// Sums of products in a loop that begins with zeros.
#pragma once

#include <optional>

#include "ir/core/function.h"
#include "ir/passes/target/cpu/tiles/uses.h"

namespace tsr::ir {

// The product that adds to the tile which the loop carries as number `number`, where the loop begins with zeros and
// nothing but that product and the loop look at the tile: its first step may then set the sum and read nothing. Nothing
// for other loops.
std::optional<OpId> sum_from_zero(const Function& kernel, const Uses& uses, OpId loop, size_t number);

// The same by the zeros, or by the product itself: the loop.
std::optional<OpId> loop_from_zeros(const Function& kernel, const Uses& uses, ValueId zeros);
std::optional<OpId> loop_of_sum(const Function& kernel, const Uses& uses, OpId product);

}  // namespace tsr::ir
