#include "sema/types/solve.h"

#include <algorithm>

namespace tsr::sema {

bool mentions(const ir::Dim& dim, const std::string& symbol) {
    std::vector<std::string> symbols = dim.symbols();
    return std::ranges::find(symbols, symbol) != symbols.end();
}

namespace {

ir::Dim atom_dim(const ir::Dim::Atom& atom) {
    switch (atom.kind) {
        case ir::Dim::Atom::Kind::symbol:
            return ir::Dim::symbol(atom.name);
        case ir::Dim::Atom::Kind::exact_quotient:
            return ir::Dim::exact_quotient(*atom.numerator, *atom.denominator);
        case ir::Dim::Atom::Kind::floor_quotient:
            return ir::Dim::floor_quotient(*atom.numerator, *atom.denominator);
        case ir::Dim::Atom::Kind::maximum:
            return ir::Dim::maximum(*atom.numerator, *atom.denominator);
    }
    return {};
}

ir::Dim term_dim(const ir::Dim::Term& term) {
    ir::Dim result = ir::Dim::constant(term.coefficient);
    for (const ir::Dim::Atom& atom : term.factors) result = result * atom_dim(atom);
    return result;
}

}  // namespace

std::optional<ir::Dim> solve(const ir::Dim& extent, const std::string& symbol, const ir::Dim& value) {
    ir::Dim rest = ir::Dim::constant(0);
    const ir::Dim::Term* found = nullptr;
    for (const ir::Dim::Term& term : extent.terms()) {
        if (!mentions(term_dim(term), symbol)) {
            rest = rest + term_dim(term);
        } else if (found) {
            return std::nullopt;
        } else {
            found = &term;
        }
    }
    if (!found) return std::nullopt;
    ir::Dim factor = ir::Dim::constant(found->coefficient);
    const ir::Dim::Atom* unknown = nullptr;
    for (const ir::Dim::Atom& atom : found->factors) {
        if (!mentions(atom_dim(atom), symbol)) {
            factor = factor * atom_dim(atom);
        } else if (unknown) {
            return std::nullopt;
        } else {
            unknown = &atom;
        }
    }
    if (unknown == nullptr) return std::nullopt;
    ir::Dim wanted = ir::Dim::exact_quotient(value - rest, factor);
    switch (unknown->kind) {
        case ir::Dim::Atom::Kind::symbol:
            return wanted;
        case ir::Dim::Atom::Kind::exact_quotient: {
            bool above = mentions(*unknown->numerator, symbol), below = mentions(*unknown->denominator, symbol);
            if (above && below) return std::nullopt;
            if (above) return solve(*unknown->numerator, symbol, wanted * *unknown->denominator);
            return solve(*unknown->denominator, symbol, ir::Dim::exact_quotient(*unknown->numerator, wanted));
        }
        case ir::Dim::Atom::Kind::floor_quotient:
        case ir::Dim::Atom::Kind::maximum:
            return std::nullopt;
    }
    return std::nullopt;
}

}  // namespace tsr::sema
