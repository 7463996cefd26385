// One instance → one function of the IR.
#pragma once

#include <vector>

#include "base/diagnostics.h"
#include "ir/core/function.h"
#include "sema/tables.h"

namespace tsr::elaborate {

ir::Function kernel_function(const sema::Program& program, const sema::Instance& kernel, Diagnostics& diagnostics);
ir::Function host_function(const sema::Program& program, const sema::Instance& instance, Diagnostics& diagnostics);
// Module-level statements, in order.
ir::Function module_function(const sema::Program& program, const std::vector<const sema::Instance*>& modules,
                             Diagnostics& diagnostics);

}  // namespace tsr::elaborate
