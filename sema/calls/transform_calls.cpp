#include "sema/calls/transform_calls.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/builtin_calls/derivative_calls.h"
#include "sema/calls/arguments.h"
#include "sema/calls/function_calls.h"
#include "sema/calls/unpacked_calls.h"
#include "sema/expressions/comprehensions.h"
#include "sema/state/recursion.h"
#include "sema/types/derivative_types.h"

namespace tsr::sema {

namespace {

constexpr const char* kHeldValues = "values held";  // no name of a program

// The function with parameters of its own; its body is the call of what is differentiated with the tuple of arguments.
FunctionId with_own_parameters(Body& b, const ast::Expr& e, Derivation derivation, std::vector<std::string> names,
                               Span arguments) {
    MadeSyntax& syntax = b.checker.program.made;
    std::vector<ast::Parameter> parameters;
    for (std::string& name : names) parameters.push_back({{std::move(name), {}}});
    return b.checker.transformed_function(std::move(derivation), b.key(e), std::move(parameters), [&] {
        const ast::Expr& given = syntax.expr(arguments, ast::Name{"arguments"});
        const ast::Expr& callee = syntax.expr(e.span, ast::Name{"function"});
        ast::Call call{&callee, {}};
        call.arguments.push_back({std::nullopt, &given, true});
        return syntax.expr(e.span, std::move(call)).id;
    });
}

bool is_tuple(Body& b, const ast::Expr& e, const Value& value, const char* what) {
    if (value.broken()) return false;
    if (value.type.is(Kind::tuple)) return true;
    b.error("E0612", e.span, fmt::format("the {} are a tuple, this is {}", what, shown(value.type)))
        .suggest(e.span, fmt::format("({},)", b.source(e)), "make it a tuple");
    return false;
}

// The types that numbers have by themselves where a function declares them: `x: f64`.
std::vector<std::optional<DType>> declared_numbers(Body& b, FunctionId of) {
    std::vector<std::optional<DType>> types;
    for (const ast::Parameter& parameter : b.checker.program.def(b.checker.program.function(of)).parameters) {
        const auto* name = parameter.annotation ? std::get_if<ast::Name>(&parameter.annotation->node) : nullptr;
        types.push_back(name ? dtype_named(name->text) : std::nullopt);
    }
    return types;
}

std::optional<DType> float_of(const Type& type) {
    return type.is_scalar() && is_float(type.elem()) ? std::optional(type.elem()) : std::nullopt;
}

// A number, or the tuple as it is written, whose literals take these types; the expression itself where none does.
const ast::Expr& typed_numbers(Body& b, const ast::Expr& e, const std::vector<std::optional<DType>>& types) {
    const auto* tuple = std::get_if<ast::Tuple>(&e.node);
    const std::vector<const ast::Expr*> items = tuple ? tuple->elements : std::vector{&e};
    if (items.size() != types.size()) return e;
    std::vector<std::optional<DType>> taken;
    std::string key;
    for (size_t i = 0; i < items.size(); ++i) {
        const bool takes = types[i] && expression(b, *items[i]).type.is_literal();
        taken.push_back(takes ? types[i] : std::nullopt);
        key += takes ? fmt::format("{},", tsr::name(*types[i])) : "-,";
    }
    if (std::ranges::none_of(taken, [](const auto& type) { return type.has_value(); })) return e;
    MadeSyntax& syntax = b.checker.program.made;
    ast::ExprId& made = syntax.typed_numbers[{b.key(e), key}];
    if (made.valid()) return *b.expr(made);
    std::vector<const ast::Expr*> typed;
    for (size_t i = 0; i < items.size(); ++i) {
        typed.push_back(items[i]);
        if (!taken[i]) continue;
        ast::Call call{&syntax.expr(items[i]->span, ast::Name{std::string(tsr::name(*taken[i]))}), {}};
        call.arguments.push_back({std::nullopt, items[i]});
        typed.back() = &syntax.expr(items[i]->span, std::move(call));
    }
    const ast::Expr& whole = tuple ? syntax.expr(e.span, ast::Tuple{typed}) : *typed[0];
    made = whole.id;
    return whole;
}

Value pushforward(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Matched& m) {
    auto derivation = derivation_of(b, e, *m.arguments[0]);
    Value given = expression(b, *m.arguments[1]);
    const Value tangents = expression(b, *m.arguments[2]);
    bool ok = is_tuple(b, *m.arguments[1], given, "arguments");
    ok &= is_tuple(b, *m.arguments[2], tangents, "tangents");
    if (!derivation || !ok) return {};
    derivation->given = m.arguments[2]->span;
    const ast::Expr& arguments = typed_numbers(b, *m.arguments[1], declared_numbers(b, derivation->of));
    given = expression(b, arguments);
    std::vector<std::optional<DType>> of_tangents;
    for (const Type& part : given.type.parts()) {
        if (holds_floats(part)) of_tangents.push_back(float_of(part));
    }
    if (row.id == Builtin::hvp) {
        derivation->of = b.checker.derived_function(*derivation);
    } else {
        derivation->with_value = true;
    }
    derivation->kind = DerivationKind::pushforward;
    const FunctionId made =
        with_own_parameters(b, e, std::move(*derivation), {"arguments", "tangents"}, m.arguments[1]->span);
    ast::Call call{m.arguments[0], {}};
    call.arguments.push_back({std::nullopt, &arguments});
    call.arguments.push_back({std::nullopt, &typed_numbers(b, *m.arguments[2], of_tangents)});
    return function_call(b, e, call, made, {});
}

// What the function gives, and a function that holds the arguments.
Value pullback(Body& b, const ast::Expr& e, const Matched& m) {
    MadeSyntax& syntax = b.checker.program.made;
    VjpCall& made = syntax.vjp_calls[b.key(e)];
    if (!made.call.valid()) {
        const ast::Expr& name = syntax.expr(e.span, ast::Name{fmt::format("arguments {}", syntax.vjp_calls.size())});
        made.name = name.id;
        made.arguments = syntax.expr(e.span, ast::Tuple{m.rest}).id;
        ast::Call call{m.arguments[0], {}};
        call.arguments.push_back({std::nullopt, &name, true});
        made.call = syntax.expr(e.span, std::move(call)).id;
    }
    auto derivation = derivation_of(b, e, *m.arguments[0]);
    if (!derivation || expression(b, *b.expr(made.arguments)).broken()) return {};
    const ast::Expr& written = typed_numbers(b, *b.expr(made.arguments), declared_numbers(b, derivation->of));
    b.instance.typed_arguments[e.id] = written.id;
    const Value arguments = expression(b, written);
    const size_t outer_names = b.inner_names.size();
    const ast::Expr& name = *b.expr(made.name);
    bind_inner_names(b, name);
    assign_to(b, name, arguments, written);
    const Value given = expression(b, name), value = expression(b, *b.expr(made.call));
    b.inner_names.resize(outer_names);
    if (given.broken() || value.broken()) return {};
    derivation->given = e.span;
    derivation->kind = DerivationKind::pullback;
    const FunctionId back = with_own_parameters(b, e, std::move(*derivation), {"arguments", "cotangent"}, e.span);
    syntax.pulled_back[back] = value.type;
    Value result;
    result.type = Type::tuple({value.type, Type::function(back, given.type.parts())});
    return result;
}

}  // namespace

Value transform_call(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Matched& m) {
    return row.id == Builtin::vjp ? pullback(b, e, m) : pushforward(b, e, row, m);
}

Value transformed_call(Body& b, const ast::Expr& call, FunctionId function) {
    const auto& written = std::get<ast::Call>(call.node);
    const bool unpacks = std::ranges::any_of(written.arguments, &ast::Argument::unpacked);
    const ast::Call* each = unpacks ? unpacked_call(b, call, written) : &written;
    const auto* launcher = std::get_if<ast::Subscript>(&written.callee->node);
    const std::vector<const ast::Expr*> groups = launcher ? launcher->indices : std::vector<const ast::Expr*>{};
    for (const ast::Expr* group : groups) expression(b, *group);
    const Value value = each ? function_call(b, call, *each, function, groups) : Value{};
    return b.record(call, value);
}

Value held_call(Body& b, const ast::Expr& e, const ast::Call& c, const Type& function) {
    MadeSyntax& syntax = b.checker.program.made;
    ast::ExprId& held = syntax.held_values[b.key(e)];
    if (!held.valid()) held = syntax.expr(c.callee->span, ast::Attribute{c.callee, {kHeldValues, {}}}).id;
    ast::Call call{c.callee, {}};
    call.arguments.push_back({std::nullopt, b.expr(held)});
    call.arguments.insert(call.arguments.end(), c.arguments.begin(), c.arguments.end());
    const auto of = syntax.pulled_back.find(function.function_id());
    if (of != syntax.pulled_back.end() && c.arguments.size() == 1 && !c.arguments[0].unpacked) {
        std::vector<std::optional<DType>> types{float_of(of->second)};
        if (of->second.is(Kind::tuple)) {
            types.clear();
            for (const Type& part : of->second.parts()) types.push_back(float_of(part));
        }
        call.arguments.back().value = &typed_numbers(b, *c.arguments[0].value, types);
    }
    return function_call(b, e, call, function.function_id(), {});
}

}  // namespace tsr::sema
