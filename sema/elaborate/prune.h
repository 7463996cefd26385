// Takes out what elaboration made too much of: carried values and results of `if` that nobody reads, and operations
// without effect whose results are unused. Reads of memory stay: a read outside is an error that may be looked for.
#pragma once

#include "ir/core/function.h"

namespace tsr::elaborate {

void prune(ir::Function& function);

}  // namespace tsr::elaborate
