// One instance → one function of the IR.
#pragma once

#include <vector>

#include "base/diagnostics.h"
#include "ir/core/function.h"
#include "sema/program/tables.h"

namespace tsr::elaborate {

ir::Function kernel_function(const sema::Program& program, const sema::Instance& kernel, Diagnostics& diagnostics);

struct Context {
    const sema::Program& program;
    const ir::Module& kernels;
    Diagnostics& diagnostics;
};
// `before`: the module-level statements that run at its beginning, for a `main` that uses their variables.
ir::Function host_function(const Context& context, const sema::Instance& instance,
                           const std::vector<const sema::Instance*>& before = {});
// Module-level statements, in order.
ir::Function module_function(const Context& context, const std::vector<const sema::Instance*>& modules);

}  // namespace tsr::elaborate
