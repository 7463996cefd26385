#include "sema/calls/passing.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/types/nested_elements.h"
#include "sema/types/numeric.h"
#include "sema/types/solve.h"
#include "sema/types/writable_types.h"
#include "sema/values/dimensions.h"
#include "sema/values/requirements.h"
#include "sema/values/writable.h"

namespace tsr::sema {

bool Passing::types(const Instance& made) {
    bool ok = true;
    for (size_t i = 0; i < arguments_.size(); ++i) ok &= type(made, i);
    return ok;
}

namespace {

// Whoever holds such a value may write tensors that it is or has.
bool writes_tensors(const Type& type) {
    if (!holds_tensors(type)) return false;
    if (type.is(Kind::tensor) || type.is(Kind::record)) return type.writable();
    return std::ranges::any_of(type.parts(), writes_tensors);
}

// `l.head.w`: a variable and fields of records from there; nothing for another expression.
struct Path {
    VariableId variable;
    std::vector<std::string> fields;
};

std::optional<Path> path_of(const Body& body, const ast::Expr& e) {
    if (const auto* attribute = std::get_if<ast::Attribute>(&e.node)) {
        if (!body.instance.type(*attribute->base).is(Kind::record)) return std::nullopt;
        auto path = path_of(body, *attribute->base);
        if (path) path->fields.push_back(attribute->name.text);
        return path;
    }
    const auto* variable = std::get_if<VariableId>(&body.instance.info(e).referent);
    const bool name = std::holds_alternative<ast::Name>(e.node);
    return variable && name ? std::optional(Path{*variable, {}}) : std::nullopt;
}

// One is the other, or a part of it.
bool one_in_other(const Path& a, const Path& b) {
    const size_t shared = std::min(a.fields.size(), b.fields.size());
    return a.variable == b.variable &&
           std::equal(a.fields.begin(), a.fields.begin() + static_cast<ptrdiff_t>(shared), b.fields.begin());
}

}  // namespace

bool Passing::overlap(const Instance& made, CallInfo& info) {
    bool ok = true;
    const auto type = [&](size_t i) -> const Type& { return made.parameters[i].type; };
    // The parts of a tuple are arguments of their own to the called function, which compares them.
    const auto counts = [&](size_t i) {
        return arguments_[i].expr && !type(i).is(Kind::tuple) && holds_tensors(type(i));
    };
    for (size_t i = 0; i < arguments_.size(); ++i) {
        if (!counts(i) || !writes_tensors(type(i))) continue;
        for (size_t j = 0; j < arguments_.size(); ++j) {
            if (i == j || !counts(j) || (writes_tensors(type(j)) && j < i)) continue;
            // A graph computes all that it writes before it writes.
            if (rules_of(callee_.kind).of_values && !writes_tensors(type(j))) continue;
            const auto a = path_of(body_, *arguments_[i].expr);
            const auto b = path_of(body_, *arguments_[j].expr);
            if (!a || !b || !one_in_other(*a, *b)) {
                info.overlap.emplace_back(i, j);
                continue;
            }
            const bool same = a->fields == b->fields;
            body_
                .error("E0320", arguments_[j].expr->span,
                       fmt::format("`{}` {} passed to the `mut` parameter `{}`: it must not overlap another argument",
                                   body_.source(*arguments_[j].expr), same ? "is also" : "shares tensors with what is",
                                   made.parameters[i].name))
                .label(arguments_[i].expr->span, fmt::format("written through `{}`", made.parameters[i].name));
            ok = false;
        }
    }
    return ok;
}

namespace {

// Extents of tensors in a tuple are compared when the program runs.
bool fits_tuple(const Value& given, const Type& wanted) {
    const Type& type = given.type;
    if (wanted.is(Kind::tensor) && type.is(Kind::tensor)) {
        return type.elem() == wanted.elem() && type.rank() == wanted.rank() && (type.writable() || !wanted.writable());
    }
    if (!wanted.is(Kind::tuple) || !type.is(Kind::tuple)) return converts(given, wanted);
    if (type.parts().size() != wanted.parts().size()) return false;
    for (size_t i = 0; i < wanted.parts().size(); ++i) {
        Value part;
        if (i < given.elements.size()) part = given.elements[i];
        part.type = type.parts()[i];
        if (!fits_tuple(part, wanted.parts()[i])) return false;
    }
    return true;
}

}  // namespace

bool Passing::type(const Instance& made, size_t i) {
    const ParameterInfo& parameter = made.parameters[i];
    const PassedValue& argument = arguments_[i];
    if (!argument.expr || argument.value.broken() || parameter.type.is_unknown()) return true;
    const Type& given = argument.value.type;
    std::string what = fmt::format("`{}` of `{}`", parameter.name, callee_.name);
    if (!parameter.type.is(Kind::tensor)) {
        if (parameter.type.is_scalar() || parameter.type.is_literal())
            return require_converts(body_, *argument.expr, argument.value, parameter.type, what);
        const bool container =
            parameter.type.is(Kind::list) || parameter.type.is(Kind::dict) || parameter.type.is(Kind::record);
        const bool tree = parameter.type.is(Kind::record) && body_.rules().new_values;
        if (tree && parameter.type.writable()) {
            body_.refuse(Feature::graphs, argument.expr->span, "a record that a graph function passes to `mut` is");
            return false;
        }
        if ((container && body_.rules().host_objects) || tree)
            return require_converts(body_, *argument.expr, argument.value, parameter.type, what);
        if (parameter.type.is(Kind::tuple) && !fits_tuple(argument.value, parameter.type)) {
            body_.error("E0302", argument.expr->span,
                        fmt::format("{} is {}, this is {}", what, shown(parameter.type), shown(given)));
            return false;
        }
        if (parameter.type.kind() == given.kind()) return true;
        body_.error("E0302", argument.expr->span,
                    fmt::format("{} is {}, this is {}", what, shown(parameter.type), shown(given)));
        return false;
    }
    return tensor(parameter, argument, what);
}

bool Passing::tensor(const ParameterInfo& parameter, const PassedValue& argument, const std::string& what) {
    const Type& given = argument.value.type;
    if (!given.is(Kind::tensor) || given.elem() != parameter.type.elem()) {
        auto& d = body_.error("E0302", argument.expr->span,
                              fmt::format("{} is {}, this is {}", what, shown(parameter.type), shown(given)));
        d.label(parameter.declared, "declared here");
        if (given.is(Kind::tensor)) {
            std::string replacement =
                fmt::format("cast({}, {})", body_.source(*argument.expr), name(parameter.type.elem()));
            d.suggest(argument.expr->span, replacement,
                      fmt::format("tensors are not converted by a call: `{}`", replacement));
        }
        return false;
    }
    if (given.rank() != parameter.type.rank()) {
        auto& d = body_.error("E0312", argument.expr->span,
                              fmt::format("{} has rank {}, this has rank {}: {}", what, parameter.type.rank(),
                                          given.rank(), shown(given)));
        d.label(parameter.declared, fmt::format("declared as {}", shown(parameter.type)));
        return false;
    }
    if (auto kind = policy_conflict(given.policy(), parameter.type.policy())) {
        body_.error("E0321", argument.expr->span,
                    fmt::format("the {} policies differ:{} is wanted, this has{}", *kind,
                                parameter.type.policy().text(), given.policy().text()));
        return false;
    }
    if (parameter.type.tensor().mut && body_.rules().new_values)
        return require_new_value(body_, *argument.expr, fmt::format("`{}`", callee_.name));
    if (parameter.type.tensor().mut && !given.tensor().mut) {
        require_writable(body_, *argument.expr, argument.value);
        return false;
    }
    return true;
}

namespace {

// A dimension of the callee in terms of the caller, as far as symbols are bound.
ir::Dim substituted(const ir::Dim& dim, const CallInfo& info, const std::string& except = {}) {
    return dim.substitute([&](const std::string& name) -> std::optional<ir::Dim> {
        for (const DimBinding& binding : info.bindings) {
            if (binding.symbol == name && name != except) return binding.value;
        }
        return std::nullopt;
    });
}

// "n + 1 = 4", or what the header says where that is the number.
std::string header_and_value(const DimCheck& check) {
    const std::string value = readable(check.expected.text());
    return check.header == value ? value : fmt::format("{} = {}", check.header, value);
}

// A quotient of numbers that is no whole number.
bool is_broken(const ir::Dim& dim) { return dim.symbols().empty() && !dim.constant_value(); }

}  // namespace

bool Passing::dimensions(const Instance& made, CallInfo& info) {
    bool ok = true;
    for (const SymbolInfo& symbol : made.symbols) ok &= bind(made, symbol, info);
    if (!ok) return false;
    for (size_t p = 0; p < made.parameters.size(); ++p) ok &= shape(made, p, info);
    return ok;
}

// False after a message.
bool Passing::bind(const Instance& made, const SymbolInfo& symbol, CallInfo& info) {
    switch (symbol.source) {
        case SymbolInfo::Source::parameter: {
            const PassedValue& argument = arguments_[symbol.parameter];
            ir::Dim value =
                argument.expr ? dimension_of(body_, *argument.expr, argument.value) : ir::Dim::symbol(symbol.name);
            info.bindings.push_back({symbol.name, value});
            return true;
        }
        case SymbolInfo::Source::axis: {
            const Type* given = type_of_element(arguments_[symbol.parameter].value.type, symbol.element);
            if (!given || !given->is(Kind::tensor) || symbol.axis >= given->rank()) return true;
            const ir::Dim& found = given->tensor().shape[symbol.axis];
            if (found.symbol_name() == "_") return true;  // known where the program runs
            ir::Dim extent = substituted(symbol.extent, info, symbol.name);
            auto value = solve(extent, symbol.name, found);
            if (value && is_broken(*value)) {
                body_.error("E0312", place_of(symbol.parameter, symbol.element),
                            fmt::format("`{}` of `{}` wants {} along axis {}, this has {}: no whole number `{}` fits",
                                        name_of(made, symbol.parameter, symbol.element), callee_.name,
                                        symbol.extent.text(), symbol.axis, readable(found.text()), symbol.name));
                return false;
            }
            if (value) info.bindings.push_back({symbol.name, *value});
            return true;
        }
        case SymbolInfo::Source::enclosing:
            info.bindings.push_back({symbol.name, ir::Dim::symbol(symbol.name)});
            return true;
        case SymbolInfo::Source::launch:
        case SymbolInfo::Source::expression:
        case SymbolInfo::Source::variable:
            return true;
    }
    return true;
}

std::string Passing::name_of(const Instance& made, size_t p, int element) const {
    return made.parameters[p].name + text_of_element(element);
}

Span Passing::place_of(size_t p, int element) const {
    const ast::Expr* at = arguments_[p].expr;
    for (const size_t number : path_of_element(element)) {
        const auto* tuple = std::get_if<ast::Tuple>(&at->node);
        if (!tuple || number >= tuple->elements.size()) break;
        at = tuple->elements[number];
    }
    return at->span;
}

bool Passing::shape(const Instance& made, size_t p, CallInfo& info) {
    if (!arguments_[p].expr) return true;
    bool ok = true;
    const auto each = [&](const auto& self, const Type& wanted, int element) -> void {
        if (wanted.is(Kind::tensor)) ok &= extents(made, p, element, info);
        for (size_t i = 0; wanted.is(Kind::tuple) && i < wanted.parts().size(); ++i) {
            if (has_nested_element(element, i)) self(self, wanted.parts()[i], nested_element(element, i));
        }
    };
    each(each, made.parameters[p].type, -1);
    return ok;
}

bool Passing::extents(const Instance& made, size_t p, int element, CallInfo& info) {
    const PassedValue& argument = arguments_[p];
    const Type* wanted = type_of_element(made.parameters[p].type, element);
    const Type* given = type_of_element(argument.value.type, element);
    if (!wanted || !given || !given->is(Kind::tensor)) return true;
    const std::string parameter = name_of(made, p, element);
    bool ok = true;
    for (size_t axis = 0; axis < wanted->rank(); ++axis) {
        const ir::Dim& header = wanted->tensor().shape[axis];
        const auto is_bound = [&](const std::string& name) {
            return std::ranges::find(info.bindings, name, &DimBinding::symbol) != info.bindings.end();
        };
        if (element >= 0 && !std::ranges::all_of(header.symbols(), is_bound)) continue;
        DimCheck check;
        check.parameter = p;
        check.element = element;
        check.axis = axis;
        check.found = given->tensor().shape[axis];
        check.expected = substituted(header, info);
        check.header = header.text();
        const SymbolInfo* origin = nullptr;
        for (const SymbolInfo& symbol : made.symbols) {
            bool places = symbol.source == SymbolInfo::Source::axis || symbol.source == SymbolInfo::Source::parameter;
            const bool here = symbol.parameter == p && symbol.element == element;
            if (places && mentions(header, symbol.name) && !here) origin = &symbol;
        }
        if (origin) check.origin = origin->parameter;
        if (origin) check.origin_element = origin->element;
        if (origin) check.symbol = origin->name;
        if (is_broken(check.expected)) {
            auto& d =
                body_.error("E0312", place_of(p, element),
                            fmt::format("`{}` of `{}` wants {} along axis {}, but {} is no whole number", parameter,
                                        callee_.name, check.header, axis, readable(check.expected.text())));
            if (origin && arguments_[origin->parameter].expr)
                d.label(place_of(origin->parameter, origin->element),
                        fmt::format("`{}` comes from here", origin->name));
            ok = false;
            continue;
        }
        switch (ir::compare(check.found, check.expected)) {
            case ir::Equality::equal:
                break;
            case ir::Equality::unknown:
                info.checks.push_back(std::move(check));
                break;
            case ir::Equality::different: {
                auto& d =
                    body_.error("E0312", place_of(p, element),
                                fmt::format("`{}` of `{}` wants {} along axis {}, this has {}", parameter, callee_.name,
                                            header_and_value(check), axis, readable(check.found.text())));
                if (origin && arguments_[origin->parameter].expr)
                    d.label(place_of(origin->parameter, origin->element),
                            fmt::format("`{}` comes from here", origin->name));
                ok = false;
            }
        }
    }
    return ok;
}

}  // namespace tsr::sema
