#include "ir/passes/host/dim_steps.h"

#include <algorithm>

namespace tsr::ir {

namespace {

int32_t step_of(Dim::Atom::Kind kind) {
    switch (kind) {
        case Dim::Atom::Kind::exact_quotient:
            return TSR_DIM_EXACT_DIV;
        case Dim::Atom::Kind::floor_quotient:
            return TSR_DIM_FLOOR_DIV;
        case Dim::Atom::Kind::maximum:
            return TSR_DIM_MAXIMUM;
        case Dim::Atom::Kind::symbol:
            break;
    }
    return TSR_DIM_SYMBOL;
}

class Steps {
public:
    explicit Steps(const std::vector<std::string>& symbols) : symbols_(symbols) {}

    void add(const Dim& dim) {
        const auto& terms = dim.terms();
        if (terms.empty()) push(TSR_DIM_CONSTANT, 0);
        for (size_t i = 0; i < terms.size(); ++i) {
            const bool minus = i > 0 && terms[i].coefficient < 0;
            add_term(terms[i], minus ? -terms[i].coefficient : terms[i].coefficient);
            if (i > 0) push(minus ? TSR_DIM_SUB : TSR_DIM_ADD, 0);
        }
    }

    std::vector<TsrDimStep> all;

private:
    void push(int32_t operation, int64_t value) { all.push_back({operation, value}); }

    void add_term(const Dim::Term& term, int64_t coefficient) {
        bool first = true;
        if (coefficient != 1 || term.factors.empty()) {
            push(TSR_DIM_CONSTANT, coefficient);
            first = false;
        }
        for (const Dim::Atom& atom : term.factors) {
            add_atom(atom);
            if (!first) push(TSR_DIM_MUL, 0);
            first = false;
        }
    }

    void add_atom(const Dim::Atom& atom) {
        if (atom.kind == Dim::Atom::Kind::symbol) {
            return push(TSR_DIM_SYMBOL, std::ranges::find(symbols_, atom.name) - symbols_.begin());
        }
        add(*atom.numerator);
        add(*atom.denominator);
        push(step_of(atom.kind), 0);
    }

    const std::vector<std::string>& symbols_;
};

}  // namespace

std::vector<TsrDimStep> dim_steps(const Dim& dim, const std::vector<std::string>& symbols) {
    Steps steps(symbols);
    steps.add(dim);
    return std::move(steps.all);
}

}  // namespace tsr::ir
