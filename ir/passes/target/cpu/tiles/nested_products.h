// Sums of products that run through several loops, such as those of a convolution over taps and channels: their
// accumulator is kept in registers from the first product to the last.
#pragma once

#include <optional>

#include "ir/passes/target/cpu/tiles/uses.h"

namespace tsr::ir {

// The product of a nest of loops, of which each does nothing but to carry the sum on, which begins with zeros. It takes
// its second operand from rows of memory. Before `widen_products` and after it.
std::optional<OpId> product_of_nest(const Function& kernel, const Uses& uses, OpId loop);
// The load that a product's operand is, or is converted from at once, and nothing else uses.
std::optional<OpId> load_of_operand(const Function& kernel, const Uses& uses, ValueId operand);

}  // namespace tsr::ir
