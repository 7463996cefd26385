// TsrSignature as data.
#include "codegen/host/host.h"
#include "ir/passes/host/dim_steps.h"
#include "runtime/abi.h"

namespace tsr::codegen {

namespace {

llvm::Constant* dimensions_of(Data& data, const std::vector<ir::Dim>& shape, const std::vector<std::string>& symbols) {
    std::vector<llvm::Constant*> dims;
    for (const ir::Dim& dim : shape) {
        std::vector<llvm::Constant*> steps;
        for (const TsrDimStep& step : ir::dim_steps(dim, symbols)) {
            steps.push_back(data.structure({data.i32(step.op), data.i64(step.value)}));
        }
        llvm::Constant* list = data.array(steps[0]->getType(), steps, "steps");
        dims.push_back(data.structure(
            {data.text(dim.symbol_name().value_or(dim.text())), list, data.i32(static_cast<int64_t>(steps.size()))}));
    }
    return dims.empty() ? data.null() : data.array(dims[0]->getType(), dims, "dimensions");
}

llvm::Constant* parameter_of(Data& data, const ir::Function& source, ir::ValueId id, const DefaultValue* given) {
    const ir::Type& type = source.type(id);
    const std::string& name = source.value(id).name;
    const ir::ParamRole& role = source.value(id).role;
    const bool is_dimension = role.kind == ir::ParamRole::Kind::dimension;
    return data.structure({data.text(name), data.i32(kind_of(type)), data.i32(static_cast<int>(type.elem)),
                           data.i32(static_cast<int64_t>(type.shape.size())), data.i32(type.mut ? 1 : 0),
                           dimensions_of(data, type.shape, source.symbols), data.i32(is_dimension ? role.number : -1),
                           data.i32(given != nullptr ? 1 : 0), given != nullptr ? data.text(given->text) : data.null(),
                           data.i64(given != nullptr ? static_cast<int64_t>(given->bits) : 0),
                           given != nullptr ? data.text(given->string) : data.null()});
}

}  // namespace

int kind_of(const ir::Type& type) {
    if (type.kind == ir::TypeKind::tensor) return TSR_KIND_TENSOR;
    if (type.kind == ir::TypeKind::string) return TSR_KIND_STRING;
    return type.is_container() ? TSR_KIND_LIST : TSR_KIND_SCALAR;
}

llvm::Constant* signature_of(Data& data, const ir::Function& source,
                             const std::map<std::string, DefaultValue>& defaults, const std::string& shown) {
    std::vector<llvm::Constant*> symbols;
    for (const std::string& symbol : source.symbols) symbols.push_back(data.text(symbol));
    std::vector<llvm::Constant*> parameters;
    for (const ir::ValueId id : source.params()) {
        const auto given = defaults.find(source.value(id).name);
        parameters.push_back(parameter_of(data, source, id, given == defaults.end() ? nullptr : &given->second));
    }
    llvm::Constant* names = data.array(data.null()->getType(), symbols, "symbols");
    llvm::Constant* list =
        parameters.empty() ? data.null() : data.array(parameters[0]->getType(), parameters, "parameters");
    return data.structure({data.text(shown.empty() ? source.name : shown),
                           data.i32(static_cast<int64_t>(symbols.size())), names,
                           data.i32(static_cast<int64_t>(parameters.size())), list});
}

}  // namespace tsr::codegen
