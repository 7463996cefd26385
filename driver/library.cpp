#include "driver/library.h"

#include <algorithm>
#include <cctype>

#include "driver/main_function.h"
#include "frontend/ast.h"
#include "ir/passes/host/add_launchers.h"
#include "sema/elaborate/types.h"
#include "sema/program/tuning_points.h"

namespace tsr::driver {

namespace {

std::string identifier(const std::string& name) {
    std::string out;
    for (char c : name) out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) != 0) out = "tsr_" + out;
    return out;
}

bool passes_to_c(const ir::Type& type) {
    if (type.is_scalar()) return type.elem != DType::c64;
    return type.kind == ir::TypeKind::tensor || type.kind == ir::TypeKind::string;
}

bool returns_to_c(const ir::Type& type) { return passes_to_c(type) && type.kind != ir::TypeKind::string; }

bool is_offered(const sema::Program& program, const sema::Instance& instance) {
    // A tuned kernel is offered by its header; its points are not functions of their own.
    if (!instance.kernel.tuning.empty() || !(instance.complete || instance.tuned)) return false;
    if (!instance.function.valid() || !instance.captures.empty()) return false;
    const sema::Function& function = program.function(instance.function);
    const bool own = function.module == program.modules.front().id && !function.enclosing;
    const bool plain = function.kind == sema::FunctionKind::plain && instance.context == sema::Context::host;
    const bool graph = function.kind == sema::FunctionKind::graph && instance.context == sema::Context::graph &&
                       !instance.derived_from.valid();
    const bool fixed = std::ranges::none_of(instance.parameters, [](const auto& p) { return p.value.has_value(); });
    return own && fixed && !function.generic && !function.name.starts_with('_') &&
           (plain || graph || function.kind == sema::FunctionKind::kernel);
}

// What stands for an instance in the module: of a tuned kernel the points that fit.
ir::LaunchedKernel launched_kernel(const sema::Program& program, const sema::Instance& instance,
                                   const ir::Module& module) {
    ir::LaunchedKernel out{program.function(instance.function).name, {}, {}, {}};
    for (const sema::ParameterInfo& parameter : instance.parameters)
        out.params.push_back(elaborate::ir_type(parameter.type));
    if (!instance.tuned) out.choices.push_back({{}, {instance.name}});
    for (const std::string& dimension : instance.kernel.tuned_dimensions) {
        const auto symbol = std::ranges::find(instance.symbols, dimension, &sema::SymbolInfo::name);
        out.dimensions.push_back({dimension, instance.parameters[symbol->parameter].name});
    }
    for (const sema::PointGroup& group : sema::points_by_extents(program, instance)) {
        auto& choice = out.choices.emplace_back(ir::LaunchedKernel::Choice{group.extents, {}});
        for (const sema::InstanceId point : group.points) choice.kernels.push_back(program.instance(point).name);
    }
    for (auto& choice : out.choices)
        std::erase_if(choice.kernels, [&](const std::string& name) { return module.find(name) == nullptr; });
    std::erase_if(out.choices, [](const auto& choice) { return choice.kernels.empty(); });
    return out;
}

}  // namespace

std::set<std::string> offered_graphs(const sema::Program& program) {
    std::set<std::string> names;
    for (const sema::Instance& instance : program.instances) {
        if (is_offered(program, instance) && instance.context == sema::Context::graph) names.insert(instance.name);
    }
    return names;
}

Library make_library(const std::string& name, const sema::Program& program, ir::Module& module) {
    Library library;
    library.name = identifier(name);
    for (const sema::Instance& instance : program.instances) {
        if (!is_offered(program, instance)) continue;
        const ir::LaunchedKernel launched = launched_kernel(program, instance, module);
        if (launched.choices.empty()) continue;
        const sema::Function& function = program.function(instance.function);
        Library::Function made;
        made.name = function.name;
        made.kernel = function.kind == sema::FunctionKind::kernel;
        made.documentation = program.def(function).docstring.value_or("");
        made.exported = {library.name + "_" + function.name, function.name, instance.name, {}};
        const ir::Function& source = *module.find(launched.choices.front().kernels.front());
        const auto takes = [&](ir::ValueId param) { return passes_to_c(source.type(param)); };
        if (!std::ranges::all_of(source.params(), takes) || !std::ranges::all_of(source.results, returns_to_c))
            continue;
        if (made.kernel) {
            if (!ir::add_launcher(module, launched)) {
                library.left_out.push_back({function.name, "its launch must say how many tiles run"});
                continue;
            }
            made.exported.function = ir::launcher_name(launched);
        } else {
            // A graph gives each leaf of a tree.
            if (instance.context == sema::Context::host)
                made.exported.results = result_names(program.def(function).body, source.results.size());
        }
        library.functions.push_back(std::move(made));
    }
    return library;
}

}  // namespace tsr::driver
