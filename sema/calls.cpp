// Calls: what is called, and which argument goes to which parameter.
#include <fmt/format.h>

#include "sema/body.h"
#include "sema/elements.h"
#include "sema/host_methods.h"
#include "sema/special_calls.h"

namespace tsr::sema {

CallInfo& Body::record_call(const ast::Expr& e, CallInfo info) { return instance.calls[e.id] = std::move(info); }

void Body::evaluate_arguments(const ast::Call& c) {
    for (const ast::Argument& argument : c.arguments) expr(*argument.value);
}

// `skip` parameters are given already (the receiver of a method). The arguments' own expressions are not checked here.
Matched Body::match(const ast::Call& c, Span callee, const std::string& what,
                    const std::vector<BuiltinParameter>& parameters, const std::vector<bool>& has_default,
                    size_t skip) {
    Matched m;
    m.arguments.resize(parameters.size());
    size_t next = skip;
    auto fail = [&](Span at, std::string message) -> Diagnostic& {
        m.ok = false;
        return error("E0315", at, std::move(message));
    };
    for (const ast::Argument& argument : c.arguments) {
        if (argument.unpacked) {
            error("E0123", argument.value->span, "no items are unpacked here");
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
            if (auto near = nearest(argument.keyword->text, candidates))
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

Value Body::plain_call(const ast::Expr& e, const ast::Call& c) {
    const ast::Expr& callee = *c.callee;
    if (const auto* a = std::get_if<ast::Attribute>(&callee.node)) {
        Value base = expr(*a->base);
        if (base.broken()) {
            evaluate_arguments(c);
            return {};
        }
        bool root_member = base.type.is(Kind::builtin) && !dotted(callee).empty();
        const bool named = base.type.is(Kind::name_space) || base.type.is(Kind::module) || root_member;
        if (!named) return call_method(e, c, *a, base);
    }
    if (const auto* s = std::get_if<ast::Subscript>(&callee.node)) {
        Value base = expr(*s->base);
        bool alloc_of = base.type.is(Kind::builtin) && base.type.builtin_name() == Builtin::tshared_alloc;
        if (alloc_of && s->indices.size() == 1) {
            record(callee, base);
            auto elem = dtype(*s->indices[0]);
            const BuiltinEntry& row = entry(Builtin::tshared_alloc);
            std::vector<bool> has_default;
            for (const BuiltinParameter& p : row.parameters) has_default.push_back(p.optional);
            Matched m = match(c, callee.span, "`tshared.alloc`", row.parameters, has_default, 0);
            if (!elem || !m.ok) {
                evaluate_arguments(c);
                return {};
            }
            return alloc(e, elem, m, false);
        }
        if (base.type.is(Kind::function)) {
            Value launcher = launch_groups(callee, *s, base.type.function_id());
            record(callee, launcher);
            if (launcher.broken()) {
                evaluate_arguments(c);
                return {};
            }
            std::vector<const ast::Expr*> groups = s->indices;
            if (groups.size() == 1 && std::holds_alternative<ast::Tuple>(groups[0]->node))
                groups = std::get<ast::Tuple>(groups[0]->node).elements;
            return call_function(e, c, base.type.function_id(), groups);
        }
    }
    Value value = expr(callee);
    if (value.broken()) {
        evaluate_arguments(c);
        return {};
    }
    if (value.type.is(Kind::function)) return call_function(e, c, value.type.function_id(), {});
    if (value.type.is(Kind::dtype)) return convert(e, c, value.type.elem());
    if (value.type.is(Kind::builtin) && !entry(value.type.builtin_name()).is_value) {
        return call_builtin(e, c, entry(value.type.builtin_name()), nullptr);
    }
    evaluate_arguments(c);
    error("E0316", callee.span, fmt::format("{} is not called", shown(value.type)));
    return {};
}

// `f32(x)`
Value Body::convert(const ast::Expr& e, const ast::Call& c, DType type) {
    if (c.arguments.size() != 1 || c.arguments[0].keyword) {
        evaluate_arguments(c);
        error("E0315", e.span, fmt::format("`{}(…)` takes one argument", tsr::name(type)));
        return {};
    }
    const ast::Expr& x = *c.arguments[0].value;
    if (type == DType::boolean) {
        Value holds = condition(x);
        CallInfo info;
        info.kind = CallKind::conversion;
        info.arguments.push_back({&x, nullptr});
        record_call(e, std::move(info));
        return holds;
    }
    Value value = expr(x);
    if (value.broken()) return {};
    if (!value.type.is_number() && !value.type.is_bool()) {
        error("E0302", x.span,
              fmt::format("`{}(…)` converts a number, this is {}", tsr::name(type), shown(value.type)));
        return {};
    }
    CallInfo info;
    info.kind = CallKind::conversion;
    info.arguments.push_back({&x, nullptr});
    record_call(e, std::move(info));
    if (auto literal = item_literal(value, type)) return *literal;
    Value result;
    result.type = Type::scalar(type);
    if (is_integer(type) && value.type.is_integer()) result.dim = value.dim;
    return result;
}

Value Body::launch_groups(const ast::Expr& e, const ast::Subscript& s, FunctionId kernel) {
    const Function& f = checker.program.function(kernel);
    std::vector<const ast::Expr*> groups = s.indices;
    if (groups.size() == 1 && std::holds_alternative<ast::Tuple>(groups[0]->node)) {
        expr(*groups[0]);
        groups = std::get<ast::Tuple>(groups[0]->node).elements;
    }
    if (f.refused != Feature::none) return {};
    if (f.kind != FunctionKind::kernel) {
        error("E0310", e.span, fmt::format("`{}` is not a kernel: only a launch names its groups in brackets", f.name));
        return {};
    }
    if (groups.empty() || groups.size() > 3) {
        error("E0408", e.span, fmt::format("a launch has one to three numbers of groups, here are {}", groups.size()));
        return {};
    }
    bool broken = false;
    for (const ast::Expr* group : groups) {
        Value v = expr(*group);
        require_integer(*group, v, "a number of groups");
        broken |= !v.type.is_integer();
    }
    if (broken) return {};
    Value value;
    value.type = Type::launcher(kernel, static_cast<int>(groups.size()));
    return value;
}

Value Body::call_builtin(const ast::Expr& e, const ast::Call& c, const BuiltinEntry& row, const ast::Expr* receiver) {
    if (row.id == Builtin::dict_) return refuse_dict_call(*this, c);
    std::vector<bool> has_default;
    for (const BuiltinParameter& p : row.parameters) has_default.push_back(p.optional);
    std::string what = fmt::format("`{}`", receiver                    ? row.paths.front()
                                           : dotted(*c.callee).empty() ? row.paths.front()
                                                                       : dotted(*c.callee));
    Matched m = match(c, c.callee->span, what, row.parameters, has_default, receiver ? 1 : 0);
    if (!m.ok) {
        evaluate_arguments(c);
        return {};
    }
    if (receiver) m.arguments[0] = receiver;
    take_generators(*this, row.id, m);
    CallInfo info;
    info.kind = CallKind::builtin;
    info.builtin = row.id;
    for (const ast::Expr* argument : m.arguments) info.arguments.push_back({argument, nullptr});
    info.rest = m.rest;
    record_call(e, std::move(info));
    if (row.id == Builtin::alloc_shared) {
        auto elem = dtype(*m.arguments[1]);
        if (elem) return alloc(e, elem, m, true);
        expr(*m.arguments[0]);
        return {};
    }
    if (row.id == Builtin::tshared_alloc) {
        evaluate_arguments(c);
        error("E0315", c.callee->span, fmt::format("`{}` lacks the type of its elements", dotted(*c.callee)))
            .note("it stands in brackets: `tshared.alloc[f32](128)`");
        return {};
    }
    if (row.id < Builtin::abs) return tile_call(e, row, m);
    if (row.id < Builtin::zeros) return math_call(e, row, m);
    return host_call(e, row, m);
}

namespace {

std::optional<Builtin> method_named(const Type& base, const std::string& name) {
    bool number = is_element(base);
    bool tensor = base.is(Kind::tensor);
    if (name == "astype" && (number || tensor)) return Builtin::cast;
    if (name == "copy" && tensor) return Builtin::copy;
    if (name == "reshape" && tensor) return Builtin::reshape;
    if (name == "tolist" && tensor && base.rank() == 1) return Builtin::list_;
    if (name == "item" && (tensor || base.is_scalar())) return Builtin::item;
    if (name == "sort" && base.is(Kind::list)) return Builtin::sort_list;
    return std::nullopt;
}

bool reduces(const std::string& name) {
    for (const char* known : {"sum", "mean", "max", "min", "prod", "any", "all"}) {
        if (name == known) return true;
    }
    return false;
}

std::optional<Feature> refused_method(const Type& base, const std::string& name) {
    if (!base.is(Kind::tensor)) return std::nullopt;
    if (name == "parts") return Feature::distribution;
    for (const char* known : {"sum", "mean", "max", "min", "transpose", "argmax", "argmin", "prod"}) {
        if (name == known) return Feature::graphs;
    }
    return std::nullopt;
}

}  // namespace

Value Body::call_method(const ast::Expr& e, const ast::Call& c, const ast::Attribute& a, const Value& base) {
    const bool hosted = !host_methods(base.type.kind(), a.name.text).empty();
    if (hosted && !base.type.is(Kind::record)) {
        if (!in_kernel()) return host_method(e, c, a, base);
        evaluate_arguments(c);
        error("E0402", a.name.span, fmt::format("`.{}()` is for host programs, this runs in a kernel", a.name.text));
        return {};
    }
    if (base.type.is(Kind::record)) {
        const auto& methods = checker.program.function(base.type.function_id()).makes->methods;
        if (const auto found = methods.find(a.name.text); found != methods.end())
            return call_function(e, c, found->second, {}, a.base);
        const auto& names = base.type.names();
        const bool own_field = std::find(names.begin() + 1, names.end(), a.name.text) != names.end();
        if (hosted && !own_field) return host_method(e, c, a, base);
        evaluate_arguments(c);
        const Value held = field(*c.callee, base, a);
        if (!held.broken()) error("E0316", c.callee->span, fmt::format("{} is not called", shown(held.type)));
        return {};
    }
    auto method = method_named(base.type, a.name.text);
    if (method) {
        const BuiltinEntry& row = entry(*method);
        if (in_kernel() ? !row.in_kernel : !row.on_host) {
            evaluate_arguments(c);
            error(in_kernel() ? "E0402" : "E0401", a.name.span,
                  fmt::format("`.{}()` is for host programs, this runs in a kernel", a.name.text));
            return {};
        }
        Value callee;
        callee.type = Type::builtin(*method);
        callee.referent = BuiltinName{*method};
        record(*c.callee, callee);
        return call_builtin(e, c, row, a.base);
    }
    evaluate_arguments(c);
    if (auto feature = refused_method(base.type, a.name.text))
        return refuse(*feature, a.name.span, fmt::format("`.{}()` is", a.name.text));
    if (base.type.is(Kind::function) &&
        (a.name.text == "inspect_ir" || a.name.text == "defvjp" || a.name.text == "defjvp")) {
        Feature feature = a.name.text == "inspect_ir" ? Feature::graphs : Feature::autodiff;
        return refuse(feature, a.name.span, fmt::format("`.{}()` is", a.name.text));
    }
    auto& d = error("E0328", a.name.span, fmt::format("{} has no `{}`", shown(base.type), a.name.text));
    std::vector<std::string> known = host_method_names(base.type.kind());
    if (known.empty()) known = {"astype", "copy", "item", "shape", "dtype"};
    if (base.type.is(Kind::tile) && reduces(a.name.text)) {
        d.note("`tile.reduce(t, axis, op)` with the op \"add\", \"mul\", \"min\", \"max\", \"any\" or \"all\"");
    } else if (auto near = nearest(a.name.text, known))
        d.suggest(a.name.span, *near, fmt::format("did you mean `{}`?", *near));
    return {};
}

// What follows a dot without being called: `x.shape`, `x.dtype`, `x.T`, `ctx.BLOCK_M`.
Value Body::member(const ast::Expr& e, const Value& base, const ast::Attribute& a) {
    Value value;
    const std::string& text = a.name.text;
    if (base.type.is(Kind::record)) return field(e, base, a);
    if (base.type.is(Kind::context)) {
        if (auto known = fixed_name(text)) {
            value.type = known->is_integer() ? Type::int_literal()
                         : known->boolean()  ? Type::boolean()
                                             : Type::float_literal();
            value.value = known;
            value.referent = TuningParameter{text};
            return value;
        }
        if (const SymbolInfo* symbol = find_symbol(text)) {
            value.type = Type::index();
            value.dim = ir::Dim::symbol(symbol->name);
            value.referent = DimensionSymbol{symbol->name};
            return value;
        }
        error("E0202", a.name.span,
              fmt::format("the tile context has no `{}`: it has the tuning parameters and dimensions", text));
        return {};
    }
    bool shaped = base.type.is_memory() || base.type.is(Kind::tile);
    if (shaped && text == "shape") {
        std::vector<Type> types;
        for (const ir::Dim& dim : base.type.shape()) {
            Value extent;
            extent.type = Type::index();
            extent.dim = dim;
            if (auto n = dim.constant_value()) {
                extent.value = Static::of(*n);
                extent.type = Type::int_literal();
            }
            types.push_back(extent.type);
            value.elements.push_back(std::move(extent));
        }
        value.type = Type::tuple(std::move(types));
        return value;
    }
    if ((shaped || base.type.is_scalar() || base.type.is_literal()) && text == "dtype") {
        const DType elem = settled(base.type, base.value);
        value.type = Type::dtype_value(elem);
        value.value = Static::of(elem);
        return value;
    }
    if (base.type.is(Kind::tensor) && !in_kernel() && text == "size") {
        value.type = Type::index();
        ir::Dim size = ir::Dim::constant(1);
        for (const ir::Dim& extent : base.type.shape()) size = size * extent;
        value.dim = size;
        return value;
    }
    if (shaped && text == "ndim") {
        value.type = Type::int_literal();
        value.value = Static::of(static_cast<int64_t>(base.type.rank()));
        value.dim = ir::Dim::constant(static_cast<int64_t>(base.type.rank()));
        return value;
    }
    if (shaped && text == "T") {
        if (base.type.rank() < 2) {
            error("E0310", a.name.span, fmt::format("`.T` swaps the last two axes; this has {}", base.type.rank()));
            return {};
        }
        if (!in_kernel() || !base.type.is(Kind::tensor)) {
            value.type = base.type.with_last_axes_swapped();
            return value;
        }
    }
    if (in_kernel() && text == "T" && (base.type.is(Kind::tensor) || base.type.is(Kind::view))) {
        error("E0310", a.name.span, "a kernel transposes register tiles and shared buffers, not tensors")
            .note("`tile.load(view).T`");
        return {};
    }
    auto& d = error("E0328", a.name.span, fmt::format("{} has no `{}`", shown(base.type), text));
    if (auto near = nearest(text, {"astype", "copy", "item", "shape", "dtype", "ndim"}))
        d.suggest(a.name.span, *near, fmt::format("did you mean `{}`?", *near));
    return {};
}

}  // namespace tsr::sema
