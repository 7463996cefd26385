#include "sema/calls/arguments.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/state/recursion.h"

namespace tsr::sema {

void evaluate_arguments(Body& b, const ast::Call& c) {
    for (const ast::Argument& argument : c.arguments) expression(b, *argument.value);
}

Matched match_arguments(Body& b, const ast::Call& c, Span callee, const std::string& what,
                        const std::vector<BuiltinParameter>& parameters, const std::vector<bool>& has_default,
                        size_t skip) {
    Matched m;
    m.arguments.resize(parameters.size());
    size_t next = skip;
    auto fail = [&](Span at, std::string message) -> Diagnostic& {
        m.ok = false;
        return b.error("E0315", at, std::move(message));
    };
    for (const ast::Argument& argument : c.arguments) {
        if (argument.unpacked) {
            b.error("E0123", argument.value->span, "no items are unpacked here");
            m.ok = false;
            return m;
        }
        if (!argument.keyword) {
            if (next < parameters.size() && parameters[next].variadic) {
                m.rest.push_back(argument.value);
            } else if (next >= parameters.size() || parameters[next].keyword_only) {
                size_t most = 0;
                for (size_t i = skip; i < parameters.size(); ++i) most += parameters[i].keyword_only ? 0 : 1;
                fail(argument.value->span,
                     fmt::format("{} takes {} argument{} by position", what, most, most == 1 ? "" : "s"));
                return m;
            } else {
                m.arguments[next++] = argument.value;
            }
            continue;
        }
        size_t at = skip;
        while (at < parameters.size() && parameters[at].name != argument.keyword->text) ++at;
        // A type parameter is called dtype by its keyword.
        if (at == parameters.size() && argument.keyword->text == "dtype") {
            for (at = skip; at < parameters.size() && parameters[at].name != "T";) ++at;
        }
        if (at == parameters.size() || parameters[at].variadic) {
            std::vector<std::string> candidates;
            for (const BuiltinParameter& p : parameters) candidates.push_back(p.name);
            auto& d =
                fail(argument.keyword->span, fmt::format("{} has no parameter `{}`", what, argument.keyword->text));
            // PyTorch's names of NumPy's parameters.
            const std::string other = argument.keyword->text == "dim"       ? "axis"
                                      : argument.keyword->text == "keepdim" ? "keepdims"
                                                                            : "";
            if (std::ranges::count(candidates, other) != 0) {
                d.suggest(argument.keyword->span, other, fmt::format("it is called `{}`", other));
            } else if (auto near = nearest(argument.keyword->text, candidates))
                d.suggest(argument.keyword->span, *near, fmt::format("did you mean `{}`?", *near));
            return m;
        }
        if (m.arguments[at]) {
            fail(argument.keyword->span, fmt::format("`{}` is given twice", argument.keyword->text));
            return m;
        }
        m.arguments[at] = argument.value;
    }
    for (size_t i = skip; i < parameters.size(); ++i) {
        if (m.arguments[i] || has_default[i] || parameters[i].variadic) continue;
        fail(callee,
             fmt::format("{} lacks its argument `{}`", what, parameters[i].name == "T" ? "dtype" : parameters[i].name));
        return m;
    }
    return m;
}

}  // namespace tsr::sema
