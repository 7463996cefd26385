#include "sema/values/dimensions.h"

#include <fmt/format.h>

#include "sema/state/recursion.h"
#include "sema/types/nested_elements.h"
#include "sema/values/requirements.h"

namespace tsr::sema {

ir::Dim fresh_symbol(Body& b, const std::string& base, const ast::Expr& source, size_t axis, int element) {
    SymbolInfo symbol;
    std::string& name = b.fresh_names[{source.id, axis, element}];
    if (name.empty()) name = fmt::format("{}__{}", base, b.checker.fresh++);
    symbol.name = name;
    symbol.source = SymbolInfo::Source::expression;
    symbol.expr = source.id;
    symbol.axis = axis;
    symbol.element = element;
    b.instance.symbols.push_back(symbol);
    return ir::Dim::symbol(symbol.name);
}

namespace {

// A parameter that is a number of the run becomes a dimension, as if the header named it.
void make_dimension(Body& b, size_t p) {
    ParameterInfo& info = b.instance.parameters[p];
    info.is_dimension = true;
    SymbolInfo symbol;
    symbol.name = info.name;
    symbol.source = SymbolInfo::Source::parameter;
    symbol.parameter = p;
    symbol.extent = ir::Dim::symbol(info.name);
    b.instance.symbols.insert(b.instance.symbols.begin() + static_cast<std::ptrdiff_t>(b.header_symbols), symbol);
    ++b.header_symbols;
    b.slots[p].once->dim = symbol.extent;
    b.new_dimensions = true;
}

bool may_be_dimension(const Body& b, size_t p) {
    const ParameterInfo& info = b.instance.parameters[p];
    const Slot& slot = b.slots[p];
    return info.type.is_integer() && info.type.is_scalar() && !info.is_static && !info.value && slot.bindings <= 1 &&
           slot.once && !slot.once->dim;
}

// What a number in a graph function may be made of.
struct Sources {
    std::vector<size_t> parameters;
    std::vector<ast::ExprId> integers;  // in trees
};

void find_sources(Body& b, const ast::Expr& e, Sources& found) {
    if (b.integers_read.contains(e.id)) {
        found.integers.push_back(e.id);
    } else if (const auto* both = std::get_if<ast::Binary>(&e.node)) {
        find_sources(b, *both->lhs, found);
        find_sources(b, *both->rhs, found);
    } else if (const auto* one = std::get_if<ast::Unary>(&e.node)) {
        find_sources(b, *one->operand, found);
    } else if (const auto* name = std::get_if<ast::Name>(&e.node)) {
        const Slot* slot = b.find_slot(name->text);
        const size_t count = b.instance.parameters.size();
        const bool local = slot && slot->id.index >= count;  // it may be made of any of them
        for (size_t p = 0; slot && p < count; ++p) {
            if ((local || slot->id.index == p) && may_be_dimension(b, p)) found.parameters.push_back(p);
        }
        if (local) found.integers.insert(found.integers.end(), b.integers_read.begin(), b.integers_read.end());
    } else if (const auto* tuple = std::get_if<ast::Tuple>(&e.node)) {
        for (const ast::Expr* element : tuple->elements) find_sources(b, *element, found);
    } else if (const auto* call = std::get_if<ast::Call>(&e.node)) {
        for (const ast::Argument& argument : call->arguments) find_sources(b, *argument.value, found);
    } else if (const auto* chosen = std::get_if<ast::Conditional>(&e.node)) {
        find_sources(b, *chosen->then, found);
        find_sources(b, *chosen->otherwise, found);
    }
}

}  // namespace

bool makes_dimensions(Body& b, const ast::Expr& e) {
    Sources found;
    if (!b.aloud && b.function) find_sources(b, e, found);
    for (const size_t p : found.parameters) {
        if (may_be_dimension(b, p)) make_dimension(b, p);
    }
    bool integers = false;
    for (const ast::ExprId part : found.integers) integers |= b.integers_in_shapes.insert(part).second;
    b.new_dimensions |= integers;
    return !found.parameters.empty() || integers;
}

void read_integer(Body& b, const ast::Expr& e, Value& value) {
    if (!b.rules().new_values || !value.type.is_integer() || !value.type.is_scalar() || value.value || value.dim)
        return;
    const auto* field = std::get_if<ast::Attribute>(&e.node);
    const auto* part = std::get_if<ast::Subscript>(&e.node);
    if (!field && !part) return;
    const Type& tree = b.instance.type(field ? *field->base : *part->base);
    if (!tree.is(Kind::record) && !tree.is(Kind::tuple) && !tree.is(Kind::list)) return;
    b.integers_read.insert(e.id);
    if (!b.integers_in_shapes.contains(e.id)) return;
    value.dim = fresh_symbol(b, field ? field->name.text : "extent", e, 0);
}

ir::Dim dimension_of(Body& b, const ast::Expr& e, const Value& v) {
    if (v.dim) return *v.dim;
    if (v.value && v.value->integer()) return ir::Dim::constant(*v.value->integer());
    if (!b.rules().has_elements) {
        if (makes_dimensions(b, e)) return fresh_symbol(b, "extent", e, 0);
        b.refuse(Feature::graphs, e.span, "an extent that only the run knows, in a graph function, is");
        return fresh_symbol(b, "extent", e, 0);  // of which nothing more is said
    }
    const auto* variable = std::get_if<VariableId>(&v.referent);
    if (variable && b.slots[variable->index].bindings <= 1) return variable_dimension(b, *variable);
    return fresh_symbol(b, "extent", e, 0);
}

ir::Dim variable_dimension(Body& b, VariableId variable) {
    if (auto found = b.variable_symbols.find(variable); found != b.variable_symbols.end())
        return ir::Dim::symbol(found->second);
    SymbolInfo symbol;
    std::string& name = b.fresh_variable_names[variable];
    if (name.empty()) name = fmt::format("{}__{}", b.slots[variable.index].name, b.checker.fresh++);
    symbol.name = name;
    symbol.source = SymbolInfo::Source::variable;
    symbol.variable = variable;
    b.instance.symbols.push_back(symbol);
    b.variable_symbols[variable] = symbol.name;
    return ir::Dim::symbol(symbol.name);
}

Type type_in_caller(Body& b, const Type& type, const std::vector<DimBinding>& bindings, const ast::Expr& at,
                    int element) {
    if (type.is(Kind::tuple)) {
        std::vector<Type> parts;
        for (size_t i = 0; i < type.parts().size(); ++i) {
            parts.push_back(type_in_caller(b, type.parts()[i], bindings, at, nested_element(element, i)));
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
        shape.push_back(known ? here : fresh_symbol(b, dim.symbol_name().value_or("extent"), at, axis, element));
    }
    return type.with_shape(std::move(shape));
}

std::optional<std::vector<ir::Dim>> shape_argument(Body& b, const ast::Expr& e, bool may_be_open) {
    std::vector<ir::Dim> shape;
    bool ok = true;
    const auto require_extent = [&](const ast::Expr& at, const Value& v) {
        const int64_t number = v.value ? v.value->integer().value_or(0) : 0;
        if (number >= 0 || (number == -1 && may_be_open)) return;
        b.error("E0312", at.span, fmt::format("an extent is not negative, this is {}", v.value->text()));
        ok = false;
    };
    auto add = [&](const ast::Expr& at, const Value& v) {
        require_integer(b, at, v, "an extent");
        ok &= v.type.is_integer();
        require_extent(at, v);
        if (ok) shape.push_back(dimension_of(b, at, v));
    };
    const auto* tuple = std::get_if<ast::Tuple>(&e.node);
    const auto* list = std::get_if<ast::List>(&e.node);
    if (tuple || list) {
        const std::vector<const ast::Expr*>& written = tuple ? tuple->elements : list->elements;
        const Value whole = expression(b, e);
        if (whole.elements.size() != written.size()) return std::nullopt;  // a list that has no type
        for (size_t i = 0; i < written.size(); ++i) add(*written[i], whole.elements[i]);
        return ok ? std::optional(shape) : std::nullopt;
    }
    Value value = expression(b, e);
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
                b.error("E0311", e.span,
                        fmt::format("an extent must be an integer, element {} is {}", i, shown(part.type)));
                return std::nullopt;
            }
            require_extent(e, part);
            const auto number = part.value ? part.value->integer() : std::nullopt;
            if (number) part.dim = ir::Dim::constant(*number);
            if (!part.dim && !b.rules().has_elements) (void)makes_dimensions(b, e);
            shape.push_back(part.dim ? *part.dim : fresh_symbol(b, "extent", e, 0, static_cast<int>(i)));
        }
        return ok ? std::optional(shape) : std::nullopt;
    }
    add(e, value);
    return ok ? std::optional(shape) : std::nullopt;
}

std::optional<std::vector<int64_t>> static_shape(Body& b, const ast::Expr& e, const std::string& what,
                                                 const char* code) {
    std::vector<int64_t> shape;
    bool ok = true;
    auto add = [&](Span at, const std::optional<Static>& value, const Type& type, const Referent& referent = {}) {
        auto n = value ? value->integer() : std::nullopt;
        if (type.is_unknown()) {
            ok = false;
        } else if (!n) {
            auto& d = b.error("E0314", at, fmt::format("{} must be static", what));
            if (const auto* variable = std::get_if<VariableId>(&referent))
                say_not_static(d, b.slots[variable->index], at);
            ok = false;
        } else if (*n <= 0) {
            b.error(code, at, fmt::format("an extent is positive, this is {}", *n));
            ok = false;
        } else {
            shape.push_back(*n);
        }
    };
    Value value = expression(b, e);
    if (value.broken()) return std::nullopt;
    if (const auto* tuple = std::get_if<ast::Tuple>(&e.node)) {
        for (const ast::Expr* element : tuple->elements) {
            const ExprInfo& info = b.instance.info(*element);
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
