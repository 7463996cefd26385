#include "sema/builtin_calls/derivative_calls.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/expressions/records.h"
#include "sema/state/recursion.h"
#include "sema/types/numeric.h"
#include "sema/types/writable_types.h"
#include "sema/values/examples.h"
#include "sema/values/requirements.h"

namespace tsr::sema {

namespace {

Value made_function(FunctionId id) {
    Value made;
    made.type = Type::function(id);
    made.referent = FunctionName{id};
    return made;
}

// The names in `wrt="w"` or `wrt=("w", "b")`; nothing after a message.
std::optional<std::vector<std::string>> wrt_names(Body& b, const ast::Expr& e, FunctionId of) {
    std::vector<const ast::Expr*> items{&e};
    if (const auto* tuple = std::get_if<ast::Tuple>(&e.node)) items = tuple->elements;
    std::vector<std::string> names;
    for (const ast::Expr* item : items) {
        const Value value = expression(b, *item);
        if (value.broken()) return std::nullopt;
        const std::string* name = value.value ? value.value->string() : nullptr;
        if (!name) {
            b.error("E0612", item->span,
                    fmt::format("`wrt` names parameters: a string, this is {}", shown(value.type)));
            return std::nullopt;
        }
        const auto& parameters = b.checker.program.def(b.checker.program.function(of)).parameters;
        const bool known = std::ranges::any_of(parameters, [&](const auto& p) { return p.name.text == *name; });
        if (!known || std::ranges::find(names, *name) != names.end()) {
            const Function& function = b.checker.program.function(of);
            b.error("E0612", item->span,
                    known ? fmt::format("`{}` is named twice", *name)
                          : fmt::format("`{}` has no parameter `{}`", function.name, *name))
                .label(b.checker.program.def(function).name.span, "defined here");
            return std::nullopt;
        }
        names.push_back(*name);
    }
    return names;
}

// Whether the function may be differentiated at all; false after a message.
bool is_differentiable(Body& b, const ast::Expr& e, const Value& value) {
    if (value.broken()) return false;
    if (!value.type.is(Kind::function)) {
        b.error("E0612", e.span,
                fmt::format("a function of the program is differentiated, this is {}", shown(value.type)));
        return false;
    }
    const Function& function = b.checker.program.function(value.type.function_id());
    if (function.refused != Feature::none) return false;
    if (rules_of(function.kind).launched || function.makes) {
        b.refuse(Feature::autodiff, e.span,
                 fmt::format("the derivative of {} is", function.makes ? "a class" : "a kernel"));
        return false;
    }
    return true;
}

// `in_axes`: an axis for all parameters, or a tuple with one for each; `None` where there is none. Nothing after a
// message.
std::optional<std::vector<std::optional<int64_t>>> example_axes(Body& b, const ast::Expr* e,
                                                                const std::vector<ast::Parameter>& parameters) {
    const size_t count = parameters.size();
    if (!e) return std::vector<std::optional<int64_t>>(count, 0);
    const auto one = [&](const ast::Expr& at) -> std::optional<std::optional<int64_t>> {
        const Value value = expression(b, at);
        if (value.type.is(Kind::none)) return std::optional<int64_t>();
        const auto axis = static_integer(b, at, "an axis of examples");
        return axis ? std::optional(std::optional(*axis)) : std::nullopt;
    };
    const auto* tuple = std::get_if<ast::Tuple>(&e->node);
    if (!tuple) {
        const auto axis = one(*e);
        if (!axis) return std::nullopt;
        return std::vector<std::optional<int64_t>>(count, *axis);
    }
    if (tuple->elements.size() > count) {
        b.error("E0612", e->span,
                fmt::format("`in_axes` has {} axes, the function has {} parameters", tuple->elements.size(), count));
        return std::nullopt;
    }
    for (size_t i = tuple->elements.size(); i < count; ++i) {
        if (Checker::is_static(parameters[i]) || parameters[i].default_value) continue;
        b.error("E0612", e->span,
                fmt::format("`in_axes` has no axis for the parameter `{}`; `None` says that it has none",
                            parameters[i].name.text));
        return std::nullopt;
    }
    std::vector<std::optional<int64_t>> axes(count);
    for (size_t i = 0; i < tuple->elements.size(); ++i) {
        const auto axis = one(*tuple->elements[i]);
        if (!axis) return std::nullopt;
        axes[i] = *axis;
    }
    return axes;
}

// With the function's parameters, whose types are those of what is given; its body is the call of the function with one
// example of each.
Value batched_function(Body& b, const ast::Expr& e, const Matched& m, Derivation derivation) {
    MadeSyntax& syntax = b.checker.program.made;
    const ast::FunctionDef& def = b.checker.program.def(b.checker.program.function(derivation.of));
    auto axes = example_axes(b, m.arguments[1], def.parameters);
    const auto out = m.arguments[2] ? static_integer(b, *m.arguments[2], "`out_axes`") : 0;
    if (!axes || !out) return {};
    derivation.in_axes = std::move(*axes);
    derivation.out_axis = *out;
    const bool each_named = m.arguments[1] && std::holds_alternative<ast::Tuple>(m.arguments[1]->node);
    std::vector<ast::Parameter> parameters;
    for (size_t i = 0; i < def.parameters.size(); ++i) {
        ast::Parameter parameter = def.parameters[i];
        parameter.name.span = {};
        auto& axis = derivation.in_axes[i];
        // What need not be given is the same for all examples, unless `in_axes` names its axis.
        if (Checker::is_static(parameter) || (parameter.default_value && !each_named)) axis.reset();
        if (axis) parameter.default_value = nullptr;
        if (!Checker::is_static(parameter) && !parameter.default_value) parameter.annotation = nullptr;
        parameters.push_back(std::move(parameter));
    }
    const std::vector<std::optional<int64_t>> in_axes = derivation.in_axes;
    return made_function(b.checker.transformed_function(std::move(derivation), b.key(e), parameters, [&] {
        ast::Call call{&syntax.expr(e.span, ast::Name{"function"}), {}};
        for (size_t i = 0; i < parameters.size(); ++i) {
            const ast::Expr* given = &syntax.expr(e.span, ast::Name{parameters[i].name.text});
            if (in_axes[i]) given = &syntax.expr(e.span, ast::Attribute{given, {kOneExample, {}}});
            call.arguments.push_back({std::nullopt, given});
        }
        return syntax.expr(e.span, std::move(call)).id;
    }));
}

std::optional<DerivationKind> kind_of(Builtin function) {
    switch (function) {
        case Builtin::grad:
        case Builtin::value_and_grad:
            return DerivationKind::gradient;
        case Builtin::jacfwd:
        case Builtin::hessian:
            return DerivationKind::jacobian_forward;
        case Builtin::jacrev:
            return DerivationKind::jacobian_reverse;
        case Builtin::checkpoint:
            return DerivationKind::recomputed;
        case Builtin::vmap:
            return DerivationKind::batch;
        default:
            return std::nullopt;
    }
}

}  // namespace

// `lambda x: sin(x)` for `sin`: a function of the program with the parameters that have to be given.
static const ast::Expr* called_builtin(Body& b, const ast::Expr& e, const Value& value) {
    if (!value.type.is(Kind::builtin)) return nullptr;
    const BuiltinEntry& row = entry(value.type.builtin_name());
    if (row.is_value) return nullptr;
    MadeSyntax& syntax = b.checker.program.made;
    ast::ExprId& made = syntax.called_builtins[b.key(e)];
    if (made.valid()) return b.expr(made);
    ast::Lambda lambda;
    ast::Call call{&e, {}};
    for (const BuiltinParameter& parameter : row.parameters) {
        if (parameter.optional) continue;
        const std::string name(parameter.name);
        lambda.parameters.push_back({{name, e.span}});
        call.arguments.push_back({std::nullopt, &syntax.expr(e.span, ast::Name{name})});
    }
    if (call.arguments.empty()) return nullptr;
    lambda.body = &syntax.expr(e.span, std::move(call));
    made = syntax.expr(e.span, std::move(lambda)).id;
    return b.expr(made);
}

bool makes_derivative(Builtin function) { return kind_of(function).has_value(); }

std::optional<Derivation> derivation_of(Body& b, const ast::Expr& e, const ast::Expr& function) {
    Value value = expression(b, function);
    if (const ast::Expr* made = called_builtin(b, function, value)) value = expression(b, *made);
    if (const ast::Expr* made = call_method_of(b, function, value.type)) value = expression(b, *made);
    if (!is_differentiable(b, function, value)) return std::nullopt;
    Derivation derivation;
    derivation.of = value.type.function_id();
    derivation.place = e.span;
    return derivation;
}

Value derivative_call(Body& b, const BuiltinEntry& row, const ast::Expr& e, const Matched& m) {
    auto derivation = derivation_of(b, e, *m.arguments[0]);
    bool ok = derivation.has_value();
    if (!derivation) derivation.emplace();
    derivation->kind = kind_of(row.id).value();
    derivation->with_value = row.id == Builtin::value_and_grad;
    if (ok && row.id == Builtin::vmap) return batched_function(b, e, m, std::move(*derivation));
    const auto argument = [&](size_t i) { return i < m.arguments.size() ? m.arguments[i] : nullptr; };
    if (ok && row.id != Builtin::vmap && argument(1)) {
        auto names = wrt_names(b, *argument(1), derivation->of);
        ok = names.has_value();
        if (names) derivation->wrt = std::move(*names);
    }
    if (derivation->kind == DerivationKind::gradient && argument(2)) {
        const Value aux = expression(b, *argument(2));
        ok &= require_static(b, *argument(2), aux, "`has_aux`");
        derivation->has_aux = aux.value && aux.value->truth().value_or(false);
    }
    if (derivation->kind == DerivationKind::gradient && argument(3)) {
        derivation->out = named_dtype(b, *argument(3));
        ok &= derivation->out.has_value();
        if (derivation->out && (!is_float(*derivation->out) || bits(*derivation->out) < 16)) {
            b.error("E0612", argument(3)->span,
                    fmt::format("a gradient is of floats of 16 bits or more, not `{}`", tsr::name(*derivation->out)));
            ok = false;
        }
    }
    if (!ok) return {};
    if (row.id == Builtin::hessian) {
        Derivation gradient = *derivation;
        gradient.kind = DerivationKind::gradient;
        derivation->of = b.checker.derived_function(std::move(gradient));
    }
    return made_function(b.checker.derived_function(std::move(*derivation)));
}

Value stopped_value(Body& b, const ast::Expr& e) {
    const Value value = expression(b, e);
    if (value.broken()) return {};
    if (is_tree(value.type)) return typed(settled_type(value.type, value.value).with_mut(false));
    b.error("E0612", e.span, fmt::format("a derivative passes through floats alone, this is {}", shown(value.type)));
    return {};
}

}  // namespace tsr::sema
