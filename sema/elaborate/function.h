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
    std::vector<ir::Function>& graphs;  // of operators on whole tensors in host functions
};
// `before`: the module-level statements that run at its beginning, for a `main` that uses their variables.
ir::Function host_function(const Context& context, const sema::Instance& instance,
                           const std::vector<const sema::Instance*>& before = {});
// A function of whole tensors.
ir::Function graph_function(const Context& context, const sema::Instance& instance);
// A call of an instance, with the rule that it names: what derivatives of it are taken of.
ir::Function function_with_rule(const Context& context, const sema::Instance& instance);
// Asks for the derivatives of an instance of an `@autodiff` function.
ir::Function differentiability_check(const Context& context, const sema::Instance& instance);
// What `grad` made of a function, as a graph.
ir::Function derivative_function(const Context& context, const sema::Instance& instance);
// Module-level statements, in order.
ir::Function module_function(const Context& context, const std::vector<const sema::Instance*>& modules);

}  // namespace tsr::elaborate
