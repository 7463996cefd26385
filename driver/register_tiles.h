// What the evaluator does not run yet.
#pragma once

#include "base/diagnostics.h"
#include "ir/core/function.h"

namespace tsr::driver {

// Says at the first operation on a register tile of each kernel that it is not interpreted (E0604); false if there is
// one.
bool refuse_register_tiles(const ir::Module& module, Diagnostics& diagnostics);

}  // namespace tsr::driver
