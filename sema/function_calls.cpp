// Calls of the program's own functions and launches of its kernels: signatures, dimensions, what may be written.
#include <algorithm>

#include <fmt/format.h>

#include "sema/body.h"
#include "sema/solve.h"

namespace tsr::sema {

namespace {

// A generic argument's type in symbols of the callee: equal extents get one symbol.
Type own_symbols(const Type& type, const std::string& parameter, std::vector<std::pair<ir::Dim, ir::Dim>>& known) {
    if (!type.is(Kind::tensor)) return type;
    std::vector<ir::Dim> shape;
    for (size_t axis = 0; axis < type.rank(); ++axis) {
        const ir::Dim& dim = type.tensor().shape[axis];
        if (dim.constant_value()) {
            shape.push_back(dim);
            continue;
        }
        auto found = std::ranges::find_if(known, [&](const auto& pair) { return pair.first == dim; });
        if (found == known.end()) {
            known.emplace_back(dim, ir::Dim::symbol(fmt::format("{}_{}", parameter, axis)));
            found = known.end() - 1;
        }
        shape.push_back(found->second);
    }
    return type.with_shape(std::move(shape));
}

struct Argument {
    const ast::Expr* expr;  // nullptr: the default
    Value value;
};

// One call being checked.
class Passing {
public:
    Passing(Body& body, const ast::Expr& e, const Function& callee, std::vector<Argument>& arguments)
        : body_(body), e_(e), callee_(callee), arguments_(arguments) {}

    // False after a message.
    bool types(const Instance& made) {
        bool ok = true;
        for (size_t i = 0; i < arguments_.size(); ++i) ok &= type(made, i);
        return ok;
    }

    bool dimensions(const Instance& made, CallInfo& info) {
        for (const SymbolInfo& symbol : made.symbols) bind(made, symbol, info);
        bool ok = true;
        for (size_t p = 0; p < made.parameters.size(); ++p) ok &= shape(made, p, info);
        return ok;
    }

    // `mut` arguments must not overlap another tensor of the call: decided here for one name, else when it runs.
    bool overlap(const Instance& made, CallInfo& info) {
        bool ok = true;
        auto is_tensor = [&](size_t i) { return made.parameters[i].type.is(Kind::tensor) && arguments_[i].expr; };
        for (size_t i = 0; i < arguments_.size(); ++i) {
            if (!is_tensor(i) || !made.parameters[i].type.tensor().mut) continue;
            for (size_t j = 0; j < arguments_.size(); ++j) {
                if (i == j || !is_tensor(j)) continue;
                bool both_mut = made.parameters[j].type.tensor().mut;
                if (both_mut && j < i) continue;
                const auto* a = std::get_if<VariableId>(&arguments_[i].value.referent);
                const auto* b = std::get_if<VariableId>(&arguments_[j].value.referent);
                if (a && b && *a == *b) {
                    body_
                        .error(
                            "E0320", arguments_[j].expr->span,
                            fmt::format(
                                "`{}` is also passed to the `mut` parameter `{}`: it must not overlap another argument",
                                body_.source(*arguments_[j].expr), made.parameters[i].name))
                        .label(arguments_[i].expr->span, fmt::format("written through `{}`", made.parameters[i].name));
                    ok = false;
                } else {
                    info.overlap.emplace_back(i, j);
                }
            }
        }
        return ok;
    }

private:
    bool type(const Instance& made, size_t i) {
        const ParameterInfo& parameter = made.parameters[i];
        Argument& argument = arguments_[i];
        if (!argument.expr || argument.value.broken() || parameter.type.is_unknown()) return true;
        const Type& given = argument.value.type;
        std::string what = fmt::format("`{}` of `{}`", parameter.name, callee_.name);
        if (parameter.is_static && parameter.value) return true;
        if (!parameter.type.is(Kind::tensor)) {
            if (parameter.type.is_scalar() || parameter.type.is_literal())
                return body_.require_converts(*argument.expr, argument.value, parameter.type, what);
            if (parameter.type.kind() == given.kind()) return true;
            body_.error("E0302", argument.expr->span,
                        fmt::format("{} is {}, this is {}", what, shown(parameter.type), shown(given)));
            return false;
        }
        if (!given.is(Kind::tensor) || given.elem() != parameter.type.elem()) {
            auto& d = body_.error("E0302", argument.expr->span,
                                  fmt::format("{} is {}, this is {}", what, shown(parameter.type), shown(given)));
            if (parameter.syntax) d.label(parameter.syntax->name.span, "declared here");
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
            if (parameter.syntax)
                d.label(parameter.syntax->name.span, fmt::format("declared as {}", shown(parameter.type)));
            return false;
        }
        if (auto kind = policy_conflict(given.policy(), parameter.type.policy())) {
            body_.error("E0321", argument.expr->span,
                        fmt::format("the {} policies differ:{} is wanted, this has{}", *kind,
                                    parameter.type.policy().text(), given.policy().text()));
            return false;
        }
        if (parameter.type.tensor().mut && !given.tensor().mut) {
            body_.require_writable(*argument.expr, argument.value);
            return false;
        }
        return true;
    }

    void bind(const Instance& made, const SymbolInfo& symbol, CallInfo& info) {
        switch (symbol.source) {
            case SymbolInfo::Source::parameter: {
                const Argument& argument = arguments_[symbol.parameter];
                ir::Dim value =
                    argument.expr ? body_.dim_of(*argument.expr, argument.value) : ir::Dim::symbol(symbol.name);
                info.bindings.push_back({symbol.name, value});
                return;
            }
            case SymbolInfo::Source::axis: {
                const Type& given = arguments_[symbol.parameter].value.type;
                if (!given.is(Kind::tensor) || symbol.axis >= given.rank()) return;
                ir::Dim extent = substituted(symbol.extent, info, symbol.name);
                auto value = solve(extent, symbol.name, given.tensor().shape[symbol.axis]);
                if (value) info.bindings.push_back({symbol.name, *value});
                return;
            }
            case SymbolInfo::Source::enclosing:
                info.bindings.push_back({symbol.name, ir::Dim::symbol(symbol.name)});
                return;
            case SymbolInfo::Source::launch:
            case SymbolInfo::Source::expression:
            case SymbolInfo::Source::variable:
                return;
        }
        (void)made;
    }

    static ir::Dim substituted(const ir::Dim& dim, const CallInfo& info, const std::string& except = {}) {
        return dim.substitute([&](const std::string& name) -> std::optional<ir::Dim> {
            for (const DimBinding& binding : info.bindings) {
                if (binding.symbol == name && name != except) return binding.value;
            }
            return std::nullopt;
        });
    }

    bool shape(const Instance& made, size_t p, CallInfo& info) {
        const Type& wanted = made.parameters[p].type;
        const Argument& argument = arguments_[p];
        if (!wanted.is(Kind::tensor) || !argument.expr || !argument.value.type.is(Kind::tensor)) return true;
        bool ok = true;
        for (size_t axis = 0; axis < wanted.rank(); ++axis) {
            const ir::Dim& header = wanted.tensor().shape[axis];
            DimCheck check;
            check.parameter = p;
            check.axis = axis;
            check.found = argument.value.type.tensor().shape[axis];
            check.expected = substituted(header, info);
            check.header = header.text();
            const SymbolInfo* origin = nullptr;
            for (const SymbolInfo& symbol : made.symbols) {
                bool places =
                    symbol.source == SymbolInfo::Source::axis || symbol.source == SymbolInfo::Source::parameter;
                if (places && mentions(header, symbol.name) && symbol.parameter != p) origin = &symbol;
            }
            if (origin) check.origin = origin->parameter;
            switch (ir::compare(check.found, check.expected)) {
                case ir::Equality::equal:
                    break;
                case ir::Equality::unknown:
                    info.checks.push_back(std::move(check));
                    break;
                case ir::Equality::different: {
                    auto& d = body_.error(
                        "E0312", argument.expr->span,
                        fmt::format("`{}` of `{}` wants {} = {} along axis {}, this has {}", made.parameters[p].name,
                                    callee_.name, check.header, check.expected.text(), axis, check.found.text()));
                    if (origin && arguments_[origin->parameter].expr)
                        d.label(arguments_[origin->parameter].expr->span,
                                fmt::format("`{}` comes from here", origin->name));
                    ok = false;
                }
            }
        }
        return ok;
    }

    Body& body_;
    const ast::Expr& e_;
    const Function& callee_;
    std::vector<Argument>& arguments_;
};

}  // namespace

Value Body::call_function(const ast::Expr& e, const ast::Call& c, FunctionId id,
                          const std::vector<const ast::Expr*>& groups) {
    const Function& callee = checker.program.function(id);
    const ast::FunctionDef& def = *callee.def;
    if (callee.refused != Feature::none || constant_only) {
        evaluate_arguments(c);
        return {};
    }
    bool launch = callee.kind == FunctionKind::kernel;
    if (in_kernel() && callee.kind != FunctionKind::plain) {
        evaluate_arguments(c);
        error("E0403", c.callee->span,
              fmt::format("a kernel does not call the {} `{}`", launch ? "kernel" : "graph function", callee.name))
            .label(def.name.span, "defined here")
            .note("kernels call plain functions");
        return {};
    }
    std::vector<BuiltinParameter> parameters;
    std::vector<bool> has_default;
    for (const ast::Parameter& p : def.parameters) {
        parameters.push_back({p.name.text, p.default_value != nullptr, false, p.keyword_only});
        has_default.push_back(p.default_value != nullptr);
    }
    Matched m = match(c, c.callee->span, fmt::format("`{}`", callee.name), parameters, has_default, 0);
    if (!m.ok) {
        evaluate_arguments(c);
        return {};
    }
    Request request;
    request.function = id;
    request.context = launch || in_kernel() ? Context::kernel : Context::host;
    if (callee.enclosing) request.enclosing = function && function->id == *callee.enclosing ? this : enclosing;
    std::vector<Argument> arguments;
    std::vector<std::pair<ir::Dim, ir::Dim>> known;
    bool broken = false;
    for (size_t i = 0; i < def.parameters.size(); ++i) {
        const ast::Parameter& p = def.parameters[i];
        const ast::Expr* written = m.arguments[i];
        Value value;
        if (written) {
            value = expr(*written);
            broken |= value.broken();
        } else {
            value.type = Type::unknown();
        }
        const auto* qualified = p.annotation ? std::get_if<ast::Qualified>(&p.annotation->node) : nullptr;
        bool is_static = qualified && qualified->qualifier == ast::Qualified::Qualifier::fixed;
        std::optional<Static> fixed_value;
        if (is_static && written) {
            if (!value.value && value.rounds != 0) {
                error(
                    "E0314", written->span,
                    fmt::format("the static parameter `{}` must be the same in every round of the loop", p.name.text));
                broken = true;
            } else if (!require_static(*written, value, fmt::format("the static parameter `{}`", p.name.text))) {
                broken = true;
            }
            fixed_value = value.value;
        } else if (is_static && p.default_value) {
            fixed_value = checker.evaluate(callee.module, *p.default_value).value;
        }
        request.values.push_back(fixed_value);
        Type given = written ? settled_type(value.type, value.value) : Type::unknown();
        if (!written && p.default_value && !p.annotation)
            given = checker.evaluate(callee.module, *p.default_value).type;
        request.types.push_back(callee.generic ? own_symbols(given, p.name.text, known) : Type::unknown());
        arguments.push_back({written, std::move(value)});
    }
    if (broken) return {};
    InstanceId made_id = checker.instantiate(request);
    if (!made_id.valid()) return {};
    const Instance& made = checker.program.instance(made_id);
    InstanceState& made_state = checker.states[made_id.index];
    state().callees.insert(made_id);
    if (made_state.progress == InstanceState::Progress::busy) {
        if (in_kernel()) {
            error("E0404", e.span,
                  fmt::format("`{}` calls itself: recursion is not possible in a kernel", callee.name));
            return {};
        }
        if (!made_state.declared_result) {
            error("E0506", e.span, fmt::format("`{}` calls itself: its result type must be declared", callee.name))
                .label(def.name.span, "declare it with `->`");
            return {};
        }
    }
    CallInfo info;
    info.kind = launch ? CallKind::launch : CallKind::function;
    info.callee = made_id;
    info.groups = groups;
    for (size_t i = 0; i < arguments.size(); ++i)
        info.arguments.push_back({arguments[i].expr, arguments[i].expr ? nullptr : def.parameters[i].default_value});
    Passing passing(*this, e, callee, arguments);
    bool ok = passing.types(made);
    ok = ok && passing.dimensions(made, info) && passing.overlap(made, info);
    for (const auto& allocation : made_state.allocations) {
        if (!launch) state().allocations.push_back(allocation);
    }
    if (!launch && made_state.group_name.valid() && !state().group_name.valid()) {
        state().group_name = made_state.group_name;
        state().group_spelling = made_state.group_spelling;
    }
    Value result;
    if (!ok) {
        instance.calls.erase(e.id);
        return result;
    }
    if (launch && made.returned_parameter && arguments[*made.returned_parameter].expr) {
        result = arguments[*made.returned_parameter].value;
        result.referent = {};
    } else {
        result.type = imported_type(made.result, info.bindings, e);
    }
    record_call(e, std::move(info));
    return result;
}

}  // namespace tsr::sema
