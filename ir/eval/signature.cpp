#include "ir/eval/signature.h"

#include <algorithm>

namespace tsr::ir::eval {

namespace {

int32_t kind_of(const Type& type) {
    if (type.kind == TypeKind::tensor) return TSR_KIND_TENSOR;
    if (type.kind == TypeKind::string) return TSR_KIND_STRING;
    return type.is_container() ? TSR_KIND_LIST : TSR_KIND_SCALAR;
}

}  // namespace

Signature::Signature(const Function& function) : fn_(function) {
    for (const std::string& symbol : function.symbols) symbols_.push_back(symbol.c_str());
    for (ValueId v : function.params()) {
        const Type& type = function.type(v);
        std::vector<TsrDimension>& dims = dims_.emplace_back();
        for (const Dim& dim : type.shape) {
            std::vector<TsrDimStep>& steps = steps_.emplace_back();
            add_steps(steps, dim);
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

// Postfix order. A term that is taken away is written so: the runtime shows and solves `n - 1` as it stands.
void Signature::add_steps(std::vector<TsrDimStep>& steps, const Dim& dim) const {
    const auto& terms = dim.terms();
    if (terms.empty()) steps.push_back({TSR_DIM_CONSTANT, 0});
    for (size_t i = 0; i < terms.size(); ++i) {
        const bool minus = i > 0 && terms[i].coefficient < 0;
        const int64_t coefficient = minus ? -terms[i].coefficient : terms[i].coefficient;
        bool first = true;
        if (coefficient != 1 || terms[i].factors.empty()) {
            steps.push_back({TSR_DIM_CONSTANT, coefficient});
            first = false;
        }
        for (const Dim::Atom& atom : terms[i].factors) {
            if (atom.kind == Dim::Atom::Kind::symbol) {
                const auto at = std::ranges::find(fn_.symbols, atom.name);
                steps.push_back({TSR_DIM_SYMBOL, at - fn_.symbols.begin()});
            } else {
                add_steps(steps, *atom.numerator);
                add_steps(steps, *atom.denominator);
                const bool exact = atom.kind == Dim::Atom::Kind::exact_quotient;
                steps.push_back({exact ? TSR_DIM_EXACT_DIV : TSR_DIM_FLOOR_DIV, 0});
            }
            if (!first) steps.push_back({TSR_DIM_MUL, 0});
            first = false;
        }
        if (i > 0) steps.push_back({minus ? TSR_DIM_SUB : TSR_DIM_ADD, 0});
    }
}

}  // namespace tsr::ir::eval
