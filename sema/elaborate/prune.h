// Takes out what elaboration made too much of: carried values and results of `if` that nobody reads, and operations
// without effect whose results are unused. Reads of memory stay: a read outside is an error that may be looked for. So
// do what a group does together and operations on register tiles: they are errors where tiles do not agree.
#pragma once

#include <set>

#include "ir/core/function.h"

namespace tsr::elaborate {

// `placeholders` are register tiles that no read reaches.
void prune(ir::Function& function, const std::set<ir::OpId>& placeholders);

}  // namespace tsr::elaborate
