#include "sema/elaborate/elaborate.h"

#include "sema/elaborate/function.h"

namespace tsr::sema {

ir::Module elaborate(const Program& program, Diagnostics& diagnostics) {
    ir::Module module;
    std::vector<const Instance*> statements;
    for (const ModuleUnit& unit : program.modules) {
        if (!unit.statements.valid()) continue;
        const Instance& instance = program.instance(unit.statements);
        if (instance.complete) statements.push_back(&instance);
    }
    if (!statements.empty()) {
        ir::Function initialize = elaborate::module_function(program, statements, diagnostics);
        const bool runs = initialize.region(initialize.body).ops.size() > 1;
        if (runs) module.functions.push_back(std::move(initialize));
    }
    for (const Instance& instance : program.instances) {
        if (!instance.complete || !instance.function.valid()) continue;
        switch (program.function(instance.function).kind) {
            case FunctionKind::kernel:
                module.functions.push_back(elaborate::kernel_function(program, instance, diagnostics));
                break;
            case FunctionKind::plain:
                // In kernels plain functions are inlined.
                if (instance.context == Context::host) {
                    module.functions.push_back(elaborate::host_function(program, instance, diagnostics));
                }
                break;
            case FunctionKind::graph:
                break;
        }
    }
    return module;
}

}  // namespace tsr::sema
