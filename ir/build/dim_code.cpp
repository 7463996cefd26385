#include "ir/build/dim_code.h"

namespace tsr::ir {

namespace {

ValueId factor(const Dim::Atom& atom, const DimMaker& maker) {
    if (atom.kind == Dim::Atom::Kind::symbol) return maker.symbol(atom.name);
    const ValueId numerator = dim_code(*atom.numerator, maker);
    const ValueId denominator = dim_code(*atom.denominator, maker);
    if (atom.kind == Dim::Atom::Kind::maximum) return maker.binary(OpKind::maximum, numerator, denominator);
    if (maker.divides) maker.divides(atom, numerator, denominator);
    return maker.binary(OpKind::floordiv, numerator, denominator);
}

}  // namespace

ValueId dim_code(const Dim& dim, const DimMaker& maker) {
    ValueId sum;
    for (const Dim::Term& term : dim.terms()) {
        ValueId product;
        for (const Dim::Atom& atom : term.factors) {
            const ValueId value = factor(atom, maker);
            product = product.valid() ? maker.binary(OpKind::mul, product, value) : value;
        }
        if (!product.valid()) {
            product = maker.constant(term.coefficient);
        } else if (term.coefficient != 1) {
            product = maker.binary(OpKind::mul, product, maker.constant(term.coefficient));
        }
        sum = sum.valid() ? maker.binary(OpKind::add, sum, product) : product;
    }
    return sum.valid() ? sum : maker.constant(0);
}

ValueId dim_code(const Dim& dim, Builder& builder, std::function<ValueId(const std::string&)> symbol) {
    return dim_code(dim, {[&](int64_t value) { return builder.index(value); },
                          [&](OpKind kind, ValueId a, ValueId b) { return builder.element(kind, {a, b}); },
                          std::move(symbol),
                          {}});
}

}  // namespace tsr::ir
