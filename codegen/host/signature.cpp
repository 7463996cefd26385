// TsrSignature as data.
#include <algorithm>

#include "codegen/host/host.h"
#include "runtime/abi.h"

namespace tsr::codegen {

namespace {

// A dimension in postfix order, as the runtime evaluates and solves it.
class Steps {
public:
    Steps(Data& data, const std::vector<std::string>& symbols) : data_(data), symbols_(symbols) {}

    void add(const ir::Dim& dim) {
        const auto& terms = dim.terms();
        if (terms.empty()) push(TSR_DIM_CONSTANT, 0);
        for (size_t i = 0; i < terms.size(); ++i) {
            // A term that is taken away is written so: the runtime shows and solves `n - 1` as it stands.
            const bool minus = i > 0 && terms[i].coefficient < 0;
            add_term(terms[i], minus ? -terms[i].coefficient : terms[i].coefficient);
            if (i > 0) push(minus ? TSR_DIM_SUB : TSR_DIM_ADD, 0);
        }
    }

    [[nodiscard]] const std::vector<llvm::Constant*>& all() const { return steps_; }

private:
    void push(int operation, int64_t value) {
        steps_.push_back(data_.structure({data_.i32(operation), data_.i64(value)}));
    }

    void add_term(const ir::Dim::Term& term, int64_t coefficient) {
        bool first = true;
        if (coefficient != 1 || term.factors.empty()) {
            push(TSR_DIM_CONSTANT, coefficient);
            first = false;
        }
        for (const ir::Dim::Atom& atom : term.factors) {
            add_atom(atom);
            if (!first) push(TSR_DIM_MUL, 0);
            first = false;
        }
    }

    void add_atom(const ir::Dim::Atom& atom) {
        if (atom.kind == ir::Dim::Atom::Kind::symbol) {
            push(TSR_DIM_SYMBOL, std::find(symbols_.begin(), symbols_.end(), atom.name) - symbols_.begin());
            return;
        }
        add(*atom.numerator);
        add(*atom.denominator);
        push(atom.kind == ir::Dim::Atom::Kind::exact_quotient ? TSR_DIM_EXACT_DIV : TSR_DIM_FLOOR_DIV, 0);
    }

    Data& data_;
    const std::vector<std::string>& symbols_;
    std::vector<llvm::Constant*> steps_;
};

llvm::Constant* dimensions_of(Data& data, const std::vector<ir::Dim>& shape, const std::vector<std::string>& symbols) {
    std::vector<llvm::Constant*> dims;
    for (const ir::Dim& dim : shape) {
        Steps steps(data, symbols);
        steps.add(dim);
        llvm::Constant* list = data.array(steps.all()[0]->getType(), steps.all(), "steps");
        dims.push_back(data.structure({data.text(dim.symbol_name().value_or(dim.text())), list,
                                       data.i32(static_cast<int64_t>(steps.all().size()))}));
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
