// Loops over the inner axis of products take longer steps than they were written with.
#pragma once

#include "ir/core/function.h"

namespace tsr::ir {

// A loop that does nothing but load tiles at its index and add products of them to what it carries takes several
// rounds at once, as many as the plan's depth holds: what the accumulator costs to read and write is paid less often.
// The sum over k stays what it was, in an order that `mma` leaves open. Rounds that are left over keep their step.
void merge_k(Function& kernel);

// The loop is such a one, and ends where its memories end: what a step takes too much is 0.
bool sums_products(const Function& kernel, OpId loop);

// The product stands in a loop along its depth, and both factors are 0 from the end of the loop on: there both memories
// end.
bool ends_with_loop(const Function& kernel, OpId mma);

}  // namespace tsr::ir
