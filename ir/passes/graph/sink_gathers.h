// Gathers of what is computed element by element, one element of each row: of a cross entropy the logarithms at the
// labels.
#pragma once

#include "ir/core/function.h"

namespace tsr::ir {

// `gather(f(a, expand(r)), ids)` becomes `f(gather(a, ids), expand(r))`, which computes f for the elements that are
// taken, to the same bits, and stores no tensor for the gather.
void sink_gathers(Function& graph);

}  // namespace tsr::ir
