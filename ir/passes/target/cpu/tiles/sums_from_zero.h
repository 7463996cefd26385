// Sums of products in a loop that begins with zeros: its first step sets them, and its last may store them.
#pragma once

#include <optional>

#include "ir/core/function.h"
#include "ir/passes/target/cpu/tiles/uses.h"

namespace tsr::ir {

// What a loop carries as number `number`.
struct LoopSum {
    OpId loop;
    size_t number;
};

// The product that adds to what the loop carries, where the loop begins with zeros and nothing but that product and the
// loop look at the tile: its first step may then set the sum and read nothing. Nothing for other loops.
std::optional<OpId> sum_from_zero(const Function& kernel, const Uses& uses, LoopSum sum);

// The same by the zeros, or by the product itself.
std::optional<LoopSum> sum_of_zeros(const Function& kernel, const Uses& uses, ValueId zeros);
std::optional<LoopSum> sum_of_product(const Function& kernel, const Uses& uses, OpId product);

// The store of such a sum to a tensor that nothing else is done with, neither with the sum; elements of rows lie side
// by side: the last step may store it. Nothing where it is used otherwise.
std::optional<OpId> store_of_sum(const Function& kernel, const Uses& uses, LoopSum sum);

}  // namespace tsr::ir
