#include "driver/library.h"

#include <algorithm>
#include <cctype>

#include "driver/main_function.h"
#include "frontend/ast.h"
#include "ir/passes/host/add_launchers.h"

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
    const bool own = function.module == program.modules.front().id && !function.enclosing && function.def != nullptr;
    const bool plain = function.kind == sema::FunctionKind::plain && instance.context == sema::Context::host;
    const bool fixed = std::ranges::none_of(instance.parameters, [](const auto& p) { return p.value.has_value(); });
    return own && fixed && !function.generic && !function.name.starts_with('_') &&
           (plain || function.kind == sema::FunctionKind::kernel);
}

// The kernels that stand for an instance in the module: of a tuned kernel the points that fit. None where the tensors'
// own extents choose between them, which a launcher does not.
std::vector<std::string> kernels_of(const sema::Program& program, const sema::Instance& instance,
                                    const ir::Module& module) {
    std::vector<std::string> names;
    if (!instance.tuned) names.push_back(instance.name);
    if (instance.kernel.tuned_dimensions.empty()) {
        for (const sema::InstanceId point : instance.points) names.push_back(program.instance(point).name);
    }
    std::erase_if(names, [&](const std::string& name) { return module.find(name) == nullptr; });
    return names;
}

}  // namespace

Library make_library(const std::string& name, const sema::Program& program, ir::Module& module) {
    Library library;
    library.name = identifier(name);
    for (const sema::Instance& instance : program.instances) {
        if (!is_offered(program, instance)) continue;
        const std::vector<std::string> kernels = kernels_of(program, instance, module);
        const sema::Function& function = program.function(instance.function);
        if (kernels.empty()) {
            if (instance.tuned) library.left_out.push_back({function.name, "the tensors' extents choose its point"});
            continue;
        }
        Library::Function made;
        made.name = function.name;
        made.kernel = function.kind == sema::FunctionKind::kernel;
        made.documentation = function.def->docstring.value_or("");
        made.exported = {library.name + "_" + function.name, function.name, instance.name, {}};
        const ir::Function& source = *module.find(kernels.front());
        const auto takes = [&](ir::ValueId param) { return passes_to_c(source.type(param)); };
        if (!std::ranges::all_of(source.params(), takes) || !std::ranges::all_of(source.results, returns_to_c))
            continue;
        if (made.kernel) {
            if (!ir::add_launcher(module, kernels)) {
                library.left_out.push_back({function.name, "its launch must say how many tiles run"});
                continue;
            }
            made.exported.function = ir::launcher_name(kernels.front());
        } else {
            made.exported.results = result_names(function.def->body, source.results.size());
        }
        library.functions.push_back(std::move(made));
    }
    return library;
}

}  // namespace tsr::driver
