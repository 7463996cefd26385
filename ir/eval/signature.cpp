#include "ir/eval/signature.h"

#include "ir/passes/host/dim_steps.h"

namespace tsr::ir::eval {

namespace {

int32_t kind_of(const Type& type) {
    if (type.kind == TypeKind::tensor) return TSR_KIND_TENSOR;
    if (type.kind == TypeKind::string) return TSR_KIND_STRING;
    return type.is_container() ? TSR_KIND_LIST : TSR_KIND_SCALAR;
}

}  // namespace

Signature::Signature(const Function& function) {
    for (const std::string& symbol : function.symbols) symbols_.push_back(symbol.c_str());
    for (ValueId v : function.params()) {
        const Type& type = function.type(v);
        std::vector<TsrDimension>& dims = dims_.emplace_back();
        for (const Dim& dim : type.shape) {
            std::vector<TsrDimStep>& steps = steps_.emplace_back(dim_steps(dim, function.symbols));
            dims.push_back(
                {keep(dim.symbol_name().value_or(dim.text())), steps.data(), static_cast<int32_t>(steps.size())});
        }
        TsrParameter parameter{};
        parameter.name = keep(function.value(v).name);
        parameter.kind = kind_of(type);
        parameter.dtype = static_cast<int32_t>(type.elem);
        parameter.rank = static_cast<int32_t>(dims.size());
        parameter.mut = type.mut ? 1 : 0;
        parameter.dims = dims.data();
        const ParamRole& role = function.value(v).role;
        parameter.symbol = role.kind == ParamRole::Kind::dimension ? static_cast<int32_t>(role.number) : -1;
        parameters_.push_back(parameter);
    }
    signature_ = {function.name.c_str(), static_cast<int32_t>(symbols_.size()), symbols_.data(),
                  static_cast<int32_t>(parameters_.size()), parameters_.data()};
}

const char* Signature::keep(std::string text) { return texts_.emplace_back(std::move(text)).c_str(); }

}  // namespace tsr::ir::eval
