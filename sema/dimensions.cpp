// Dimensions: expressions in types, the symbols they bind, and the shapes that programs compute.
#include <algorithm>

#include <fmt/format.h>

#include "sema/body.h"
#include "sema/solve.h"

namespace tsr::sema {

std::optional<ir::Dim> Body::dimension(const ast::Expr& e, bool in_header) {
    auto named = [&](const std::string& text, Span at, const ast::Expr* name = nullptr) -> std::optional<ir::Dim> {
        const bool tuned = std::ranges::any_of(space, [&](const auto& entry) { return entry.first == text; });
        if (in_header && tuned) return ir::Dim::symbol(text);
        if (auto value = fixed_name(text)) {
            if (auto n = value->integer()) return ir::Dim::constant(*n);
        }
        if (find_symbol(text)) return ir::Dim::symbol(text);
        if (enclosing && enclosing->find_symbol(text)) return ir::Dim::symbol(text);
        if (in_header) return ir::Dim::symbol(text);
        if (Slot* slot = find_slot(text); slot && slot->bindings <= 1 && slot->once && slot->once->dim)
            return *slot->once->dim;
        if (name && find_slot(text) && !in_kernel()) return integer_dimension(*name);
        error("E0313", at, fmt::format("`{}` is not a dimension here", text))
            .note("a dimension is bound by the shape of a parameter");
        return std::nullopt;
    };
    if (const auto* n = std::get_if<ast::IntLiteral>(&e.node)) return ir::Dim::constant(static_cast<int64_t>(n->value));
    if (const auto* n = std::get_if<ast::Name>(&e.node)) return named(n->text, e.span, &e);
    if (const auto* text = std::get_if<ast::StringLiteral>(&e.node)) {
        auto dim = ir::Dim::parse(text->value);  // "B*H" in quotes: the same as without
        if (!dim) {
            error("E0313", e.span,
                  fmt::format("\"{}\" is not a dimension: an integer, a name, or `+ - * / //` of them", text->value));
            return std::nullopt;
        }
        bool ok = true;
        ir::Dim result = dim->substitute([&](const std::string& symbol) -> std::optional<ir::Dim> {
            auto value = named(symbol, e.span);
            ok &= value.has_value();
            return value;
        });
        return ok ? std::optional(result) : std::nullopt;
    }
    if (const auto* b = std::get_if<ast::Binary>(&e.node)) {
        auto l = dimension(*b->lhs, in_header), r = dimension(*b->rhs, in_header);
        if (!l || !r) return std::nullopt;
        bool zero = r->constant_value() == 0;
        if (b->op == ast::BinaryOp::add) return *l + *r;
        if (b->op == ast::BinaryOp::sub) return *l - *r;
        if (b->op == ast::BinaryOp::mul) return *l * *r;
        if (b->op == ast::BinaryOp::div && !zero) {
            auto a = l->constant_value(), c = r->constant_value();
            if (a && c && *a % *c != 0) {
                error("E0312", e.span, fmt::format("{} does not divide {}: `/` of dimensions is exact", *c, *a));
                return std::nullopt;
            }
            return ir::Dim::exact_quotient(*l, *r);
        }
        if (b->op == ast::BinaryOp::floordiv && !zero) return ir::Dim::floor_quotient(*l, *r);
    }
    if (std::holds_alternative<ast::Hole>(e.node)) return std::nullopt;
    error("E0313", e.span, "a dimension is an integer, a name, or `+ - * / //` of them");
    return std::nullopt;
}

ir::Dim Body::fresh_symbol(const std::string& base, const ast::Expr& source, size_t axis, int element) {
    SymbolInfo symbol;
    std::string& name = fresh_names[{source.id, axis, element}];
    if (name.empty()) name = fmt::format("{}__{}", base, checker.fresh++);
    symbol.name = name;
    symbol.source = SymbolInfo::Source::expression;
    symbol.expr = &source;
    symbol.axis = axis;
    symbol.element = element;
    instance.symbols.push_back(symbol);
    return ir::Dim::symbol(symbol.name);
}

ir::Dim Body::dim_of(const ast::Expr& e, const Value& v) {
    if (v.dim) return *v.dim;
    if (v.value && v.value->integer()) return ir::Dim::constant(*v.value->integer());
    const auto* variable = std::get_if<VariableId>(&v.referent);
    if (variable && slots[variable->index].bindings <= 1) return variable_dimension(*variable);
    return fresh_symbol("extent", e, 0);
}

// Of an integer that is assigned once.
ir::Dim Body::variable_dimension(VariableId variable) {
    if (auto found = variable_symbols.find(variable); found != variable_symbols.end())
        return ir::Dim::symbol(found->second);
    SymbolInfo symbol;
    std::string& name = fresh_variable_names[variable];
    if (name.empty()) name = fmt::format("{}__{}", slots[variable.index].name, checker.fresh++);
    symbol.name = name;
    symbol.source = SymbolInfo::Source::variable;
    symbol.variable = variable;
    instance.symbols.push_back(symbol);
    variable_symbols[variable] = symbol.name;
    return ir::Dim::symbol(symbol.name);
}

// Of a variable in a type that a statement writes: `m = n // 2; x: f32[m] = zeros(m)`.
std::optional<ir::Dim> Body::integer_dimension(const ast::Expr& name) {
    const Value value = expr(name);
    if (value.broken()) return std::nullopt;
    if (!value.type.is_integer() || !value.type.is_scalar()) {
        error("E0313", name.span, fmt::format("a dimension is an integer, this is {}", shown(value.type)));
        return std::nullopt;
    }
    if (value.dim || value.value) return dim_of(name, value);
    const auto* variable = std::get_if<VariableId>(&value.referent);
    if (variable && slots[variable->index].bindings <= 1) return variable_dimension(*variable);
    error("E0313", name.span, "a variable that is assigned more than once is no dimension");
    return std::nullopt;
}

Type Body::imported_type(const Type& type, const std::vector<DimBinding>& bindings, const ast::Expr& at, int element) {
    if (type.is(Kind::tuple)) {
        std::vector<Type> parts;
        for (size_t i = 0; i < type.parts().size(); ++i) {
            parts.push_back(imported_type(type.parts()[i], bindings, at, static_cast<int>(i)));
        }
        return Type::tuple(std::move(parts));
    }
    if (!type.is(Kind::tensor)) return type;
    std::vector<ir::Dim> shape;
    for (size_t axis = 0; axis < type.rank(); ++axis) {
        const ir::Dim& dim = type.tensor().shape[axis];
        bool known = true;
        ir::Dim here = dim.substitute([&](const std::string& name) -> std::optional<ir::Dim> {
            for (const DimBinding& binding : bindings) {
                if (binding.symbol == name) return binding.value;
            }
            known = false;
            return std::nullopt;
        });
        shape.push_back(known ? here : fresh_symbol(dim.symbol_name().value_or("extent"), at, axis, element));
    }
    return type.with_shape(std::move(shape));
}

std::optional<std::vector<ir::Dim>> Body::shape_argument(const ast::Expr& e) {
    std::vector<ir::Dim> shape;
    bool ok = true;
    auto add = [&](const ast::Expr& at, const Value& v) {
        require_integer(at, v, "an extent");
        ok &= v.type.is_integer();
        if (v.value && v.value->integer().value_or(0) < 0) {
            error("E0312", at.span, fmt::format("an extent is not negative, this is {}", v.value->text()));
            ok = false;
        }
        if (ok) shape.push_back(dim_of(at, v));
    };
    const auto* tuple = std::get_if<ast::Tuple>(&e.node);
    const auto* list = std::get_if<ast::List>(&e.node);
    if (tuple || list) {
        const std::vector<const ast::Expr*>& written = tuple ? tuple->elements : list->elements;
        const Value whole = expr(e);
        if (whole.elements.size() != written.size()) return std::nullopt;  // a list that has no type
        for (size_t i = 0; i < written.size(); ++i) add(*written[i], whole.elements[i]);
        return ok ? std::optional(shape) : std::nullopt;
    }
    Value value = expr(e);
    if (value.broken()) return std::nullopt;
    if (value.type.is(Kind::list) && value.value) {  // a module constant
        for (const Static& extent : *value.value->tuple()) {
            Value part;
            part.value = extent;
            part.type = extent.is_integer() ? Type::int_literal() : value.type.parts()[0];
            if (const auto n = extent.integer()) part.dim = ir::Dim::constant(*n);
            add(e, part);
        }
        return ok ? std::optional(shape) : std::nullopt;
    }
    if (value.type.is(Kind::tuple)) {
        for (size_t i = 0; i < value.type.parts().size(); ++i) {
            Value part;
            if (i < value.elements.size()) part = value.elements[i];
            part.type = value.type.parts()[i];
            part.referent = {};
            if (!part.type.is_integer()) {
                error("E0311", e.span,
                      fmt::format("an extent must be an integer, element {} is {}", i, shown(part.type)));
                return std::nullopt;
            }
            shape.push_back(part.dim ? *part.dim : fresh_symbol("extent", e, 0, static_cast<int>(i)));
        }
        return shape;
    }
    add(e, value);
    return ok ? std::optional(shape) : std::nullopt;
}

std::optional<std::vector<int64_t>> Body::static_shape(const ast::Expr& e, const std::string& what, const char* code) {
    std::vector<int64_t> shape;
    bool ok = true;
    auto add = [&](Span at, const std::optional<Static>& value, const Type& type, const Referent& referent = {}) {
        auto n = value ? value->integer() : std::nullopt;
        if (type.is_unknown()) {
            ok = false;
        } else if (!n) {
            auto& d = error("E0314", at, fmt::format("{} must be static", what));
            if (const auto* variable = std::get_if<VariableId>(&referent))
                say_not_static(d, slots[variable->index], at);
            ok = false;
        } else if (*n <= 0) {
            error(code, at, fmt::format("an extent is positive, this is {}", *n));
            ok = false;
        } else {
            shape.push_back(*n);
        }
    };
    Value value = expr(e);
    if (value.broken()) return std::nullopt;
    if (const auto* tuple = std::get_if<ast::Tuple>(&e.node)) {
        for (const ast::Expr* element : tuple->elements) {
            const ExprInfo& info = instance.info(*element);
            auto constant = info.value;
            if (!constant && info.dim && info.dim->constant_value()) constant = Static::of(*info.dim->constant_value());
            add(element->span, constant, info.type, info.referent);
        }
    } else if (value.type.is(Kind::tuple)) {
        for (size_t i = 0; i < value.type.parts().size(); ++i) {
            std::optional<Static> constant;
            if (i < value.elements.size()) constant = value.elements[i].value;
            add(e.span, constant, value.type.parts()[i]);
        }
    } else {
        auto constant = value.value;
        if (!constant && value.dim && value.dim->constant_value()) constant = Static::of(*value.dim->constant_value());
        add(e.span, constant, value.type, value.referent);
    }
    return ok ? std::optional(shape) : std::nullopt;
}

}  // namespace tsr::sema
