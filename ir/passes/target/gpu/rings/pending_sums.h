// What pending products are summed in is touched by nothing before a wait for them: shares no code with the passes that
// leave products pending.
#pragma once

#include <string>
#include <vector>

#include "ir/core/function.h"

namespace tsr::ir {

// A message for each operation that takes sums of products that are under way, in the order of the text. They may go
// round loops, out of branches, into another pending product that adds to them, and through a wait for all.
std::vector<std::string> check_pending_sums(const Function& kernel);

}  // namespace tsr::ir
