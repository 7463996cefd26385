#include "ir/build/dim_code.h"

#include <algorithm>
#include <iterator>

#include "ir/ops/control.h"

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

struct DimArithmetic {
    OpKind kind;
    std::optional<Dim> (*compute)(const Dim& a, const Dim& b);
};

constexpr DimArithmetic kDimArithmetic[]{
    {OpKind::add, [](const Dim& a, const Dim& b) -> std::optional<Dim> { return a + b; }},
    {OpKind::sub, [](const Dim& a, const Dim& b) -> std::optional<Dim> { return a - b; }},
    {OpKind::mul, [](const Dim& a, const Dim& b) -> std::optional<Dim> { return a * b; }},
    {OpKind::floordiv,
     [](const Dim& a, const Dim& b) -> std::optional<Dim> {
         return b.constant_value().value_or(0) > 0 ? std::optional(Dim::floor_quotient(a, b)) : std::nullopt;
     }},
};

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

std::set<std::string> bound_by_parameters(const Function& fn) {
    std::set<std::string> bound;
    for (const ValueId param : fn.params()) {
        const Value& value = fn.value(param);
        bound.insert(value.name);
        if (value.role.kind == ParamRole::Kind::dimension)
            bound.insert(fn.symbols[static_cast<size_t>(value.role.number)]);
        for (const Dim& dim : fn.type(param).shape) {
            for (std::string& symbol : dim.symbols()) bound.insert(std::move(symbol));
        }
    }
    return bound;
}

// `of_argument`: of what no operation gives.
template <class OfArgument>
static std::optional<Dim> dimension_of(const Function& fn, ValueId value, const OfArgument& of_argument) {
    const OpId id = fn.value(value).op;
    if (!id.valid()) return of_argument(value);
    const Op& op = fn.op(id);
    if (op.kind == OpKind::dim) return DimOp(fn, id).dim();
    if (op.kind == OpKind::constant && ConstantOp(fn, id).is_whole())
        return Dim::constant(ConstantOp(fn, id).integer());
    if (op.kind == OpKind::cast) {
        const ValueId from = CastOp(fn, id).from();
        return is_integer(fn.type(from).elem) ? dimension_of(fn, from, of_argument) : std::nullopt;
    }
    const auto made = std::ranges::find(kDimArithmetic, op.kind, &DimArithmetic::kind);
    if (made == std::end(kDimArithmetic)) return std::nullopt;
    const BinaryOp both(fn, id);
    const auto a = dimension_of(fn, both.lhs(), of_argument);
    const auto b = dimension_of(fn, both.rhs(), of_argument);
    return a && b ? made->compute(*a, *b) : std::nullopt;
}

std::optional<Dim> dimension_of(const Function& fn, ValueId value) {
    return dimension_of(fn, value, [](ValueId) { return std::optional<Dim>(); });
}

std::optional<Dim> dimension_given(Function& fn, ValueId value) {
    return dimension_of(fn, value, [&](ValueId argument) -> std::optional<Dim> {
        const bool is_parameter = std::ranges::find(fn.params(), argument) != fn.params().end();
        Value& given = fn.value(argument);
        if (!is_parameter || !given.type.is_scalar() || !is_integer(given.type.elem)) return std::nullopt;
        if (given.role.kind == ParamRole::Kind::value) {
            std::string name = given.name;
            std::ranges::replace(name, '.', '_');
            while (std::ranges::find(fn.symbols, name) != fn.symbols.end()) name += '_';
            given.role = {.kind = ParamRole::Kind::dimension, .number = static_cast<int64_t>(fn.symbols.size())};
            fn.symbols.push_back(std::move(name));
        }
        if (given.role.kind != ParamRole::Kind::dimension) return std::nullopt;
        return Dim::symbol(fn.symbols[static_cast<size_t>(given.role.number)]);
    });
}

}  // namespace tsr::ir
