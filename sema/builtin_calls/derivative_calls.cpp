#include "sema/builtin_calls/derivative_calls.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/state/recursion.h"
#include "sema/values/requirements.h"

namespace tsr::sema {

namespace {

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
    if (rules_of(function.kind).launched || function.makes || function.method_of) {
        b.refuse(Feature::autodiff, e.span,
                 fmt::format("the derivative of {} is", function.makes       ? "a class"
                                                        : function.method_of ? "a method"
                                                                             : "a kernel"));
        return false;
    }
    return true;
}

}  // namespace

bool makes_derivative(Builtin function) { return function == Builtin::grad || function == Builtin::value_and_grad; }

Value derivative_call(Body& b, const BuiltinEntry& row, const ast::Expr& e, const Matched& m) {
    const Value function = expression(b, *m.arguments[0]);
    bool ok = is_differentiable(b, *m.arguments[0], function);
    Derivation derivation;
    derivation.place = e.span;
    derivation.with_value = row.id == Builtin::value_and_grad;
    if (ok) derivation.of = function.type.function_id();
    if (ok && m.arguments[1]) {
        auto names = wrt_names(b, *m.arguments[1], derivation.of);
        ok = names.has_value();
        if (names) derivation.wrt = std::move(*names);
    }
    if (m.arguments[2]) {
        const Value aux = expression(b, *m.arguments[2]);
        ok &= require_static(b, *m.arguments[2], aux, "`has_aux`");
        derivation.has_aux = aux.value && aux.value->truth().value_or(false);
    }
    if (m.arguments[3]) {
        derivation.out = named_dtype(b, *m.arguments[3]);
        ok &= derivation.out.has_value();
        if (derivation.out && (!is_float(*derivation.out) || bits(*derivation.out) < 16)) {
            b.error("E0612", m.arguments[3]->span,
                    fmt::format("a gradient is of floats of 16 bits or more, not `{}`", tsr::name(*derivation.out)));
            ok = false;
        }
    }
    if (!ok) return {};
    Value made;
    const FunctionId id = b.checker.derived_function(std::move(derivation));
    made.type = Type::function(id);
    made.referent = FunctionName{id};
    return made;
}

}  // namespace tsr::sema
