#include "sema/elaborate/elaborate.h"

#include <set>
#include <vector>

#include "ir/passes/host/capture_calls.h"
#include "ir/passes/host/random_keys.h"
#include "ir/passes/simplify/drop_unnamed.h"
#include "sema/elaborate/derivatives.h"
#include "sema/elaborate/dimensions.h"
#include "sema/elaborate/function.h"

namespace tsr::sema {

namespace {

// The module-level statements in the order they run in.
std::vector<const Instance*> statements_in_order(const Program& program) {
    std::vector<const Instance*> statements;
    for (const ModuleId id : program.order) {
        const InstanceId made = program.modules[id.index].statements;
        if (made.valid() && program.instance(made).complete) statements.push_back(&program.instance(made));
    }
    return statements;
}

bool is_elaborated(const Program& program, const Instance& instance, FunctionKind kind) {
    if (!instance.complete || !instance.reached || instance.tuned || !instance.function.valid()) return false;
    if (program.function(instance.function).kind != kind) return false;
    if (program.is_operator(instance)) return false;
    // In kernels and graphs plain functions are inlined.
    return kind != FunctionKind::plain || !rules_of(instance.context).inlines_calls;
}

// `@autodiff`
bool is_to_be_differentiable(const Program& program, const Instance& instance) {
    return instance.complete && instance.reached && instance.context == Context::graph && instance.function.valid() &&
           !instance.derived_from.valid() && program.function(instance.function).differentiable;
}

// Plain functions too are graphs where derivatives are taken of them.
std::set<InstanceId> differentiated_instances(const Program& program) {
    std::set<InstanceId> found;
    for (const Instance& instance : program.instances) {
        if (!instance.complete || !instance.reached) continue;
        if (instance.derived_from.valid()) found.insert(instance.derived_from);
        if (is_to_be_differentiable(program, instance)) found.insert(instance.id);
        if (instance.rules.empty()) continue;
        found.insert(instance.id);
        found.insert(instance.rules.begin(), instance.rules.end());
    }
    return found;
}

// `@jit(capture_graph=True)`
std::set<std::string> captured_functions(const Program& program) {
    std::set<std::string> names;
    for (const Instance& instance : program.instances) {
        if (is_elaborated(program, instance, FunctionKind::graph) && program.function(instance.function).captured)
            names.insert(instance.name);
    }
    return names;
}

// Functions and kernels of the standard library that the program does not name, as rules of derivatives that it does
// not take: they have no code. Launches do not name the points of tuned kernels.
void drop_unnamed(const Program& program, ir::Module& module) {
    std::set<std::string> candidates;
    for (const Instance& instance : program.instances) {
        if (!instance.function.valid() || !program.modules[instance.module.index].library) continue;
        if (!program.function(instance.function).space.empty()) continue;
        candidates.insert(instance.name);
        if (!instance.rules.empty()) candidates.insert(elaborate::name_with_rule(instance));
    }
    ir::drop_unnamed(module, std::move(candidates), ir::Naming::calls_and_rules);
}

}  // namespace

static void elaborate_all(const Program& program, Diagnostics& diagnostics, ir::Module& module) {
    // Kernels first: a launch asks which of its arguments are written.
    for (const Instance& instance : program.instances) {
        if (!is_elaborated(program, instance, FunctionKind::kernel)) continue;
        module.functions.push_back(elaborate::kernel_function(program, instance, diagnostics));
    }
    std::vector<ir::Function> graphs;
    const elaborate::Context context{program, module, diagnostics, graphs};
    std::vector<ir::Function> host;
    const auto statements = statements_in_order(program);
    const bool in_main = program.main && !program.instance(*program.main).captures.empty();
    if (!statements.empty() && !in_main) {
        ir::Function initialize = elaborate::module_function(context, statements);
        const bool runs = initialize.region(initialize.body).ops.size() > 1;
        if (runs) host.push_back(std::move(initialize));
    }
    for (const Instance& instance : program.instances) {
        if (!is_elaborated(program, instance, FunctionKind::plain) &&
            !is_elaborated(program, instance, FunctionKind::host))
            continue;
        const bool begins = in_main && instance.id == *program.main;
        host.push_back(begins ? elaborate::host_function(context, instance, statements)
                              : elaborate::host_function(context, instance));
    }
    const std::set<InstanceId> differentiated = differentiated_instances(program);
    for (const Instance& instance : program.instances) {
        if (!is_elaborated(program, instance, FunctionKind::graph) && !differentiated.contains(instance.id)) continue;
        graphs.push_back(program.function(instance.function).derived ? elaborate::derivative_function(context, instance)
                                                                     : elaborate::graph_function(context, instance));
    }
    for (const Instance& instance : program.instances) {
        // Nothing but its rule names what a launch is as a function of values.
        const bool launch = instance.function.valid() && program.function(instance.function).derived;
        if (instance.complete && instance.reached && !instance.rules.empty() && !launch)
            graphs.push_back(elaborate::function_with_rule(context, instance));
        if (is_to_be_differentiable(program, instance))
            graphs.push_back(elaborate::differentiability_check(context, instance));
    }
    for (ir::Function& function : graphs) module.functions.push_back(std::move(function));
    for (ir::Function& function : host) module.functions.push_back(std::move(function));
    drop_unnamed(program, module);
    ir::give_random_keys(module, diagnostics);
    ir::capture_calls(module, captured_functions(program));
}

ir::Module elaborate(const Program& program, Diagnostics& diagnostics) {
    ir::Module module;
    try {
        elaborate_all(program, diagnostics, module);
    } catch (const elaborate::ExtentsDiffer&) {
        return module;  // the message is in the diagnostics
    }
    return module;
}

}  // namespace tsr::sema
