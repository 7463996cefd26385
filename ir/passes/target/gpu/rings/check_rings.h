// The law of rings and of copies into shared buffers, proved on the text: shares no code with the passes that make it.
#pragma once

#include <string>
#include <vector>

#include "ir/core/function.h"

namespace tsr::ir {

// Runs what the text says of buffers that copies fill, slot by slot, for every number of rounds of their loops from
// none to where all repeats. Each read must come after a wait that covers the copies into its slot and a barrier behind
// that wait; each copy after a barrier behind the last read of its slot; slots of rings are acquired, filled, taken and
// released in this order, copied into while acquired, and read while taken. Pending products read until a wait covers
// them, and nothing takes their sums before. A message for each operation that breaks
// this; empty: none does.
std::vector<std::string> check_rings(const Function& kernel);

}  // namespace tsr::ir
