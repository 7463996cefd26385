#include "sema/calls/calls.h"

#include <algorithm>

#include <fmt/format.h>

#include "frontend/foreign_names.h"
#include "sema/builtin_calls/allocations.h"
#include "sema/calls/arguments.h"
#include "sema/calls/builtin_dispatch.h"
#include "sema/calls/function_calls.h"
#include "sema/calls/method_calls.h"
#include "sema/calls/transform_calls.h"
#include "sema/calls/unpacked_calls.h"
#include "sema/expressions/comprehensions.h"
#include "sema/expressions/conditions.h"
#include "sema/expressions/launchers.h"
#include "sema/state/entities.h"
#include "sema/state/recursion.h"
#include "sema/values/requirements.h"

namespace tsr::sema {

// `f32(x)`
static Value conversion_call(Body& b, const ast::Expr& e, const ast::Call& c, DType type) {
    if (c.arguments.size() != 1 || c.arguments[0].keyword) {
        evaluate_arguments(b, c);
        b.error("E0315", e.span, fmt::format("`{}(…)` takes one argument", tsr::name(type)));
        return {};
    }
    const ast::Expr& x = *c.arguments[0].value;
    if (type == DType::boolean) {
        Value holds = condition_value(b, x);
        CallInfo info;
        info.kind = CallKind::conversion;
        info.arguments.push_back({x.id, {}});
        b.record_call(e, std::move(info));
        return holds;
    }
    Value value = expression(b, x);
    if (value.broken()) return {};
    if (!value.type.is_number() && !value.type.is_bool()) {
        b.error("E0302", x.span,
                fmt::format("`{}(…)` converts a number, this is {}", tsr::name(type), shown(value.type)));
        return {};
    }
    CallInfo info;
    info.kind = CallKind::conversion;
    info.arguments.push_back({x.id, {}});
    b.record_call(e, std::move(info));
    if (auto literal = item_literal(b, value, type)) return *literal;
    Value result;
    result.type = Type::scalar(type);
    if (is_integer(type) && value.type.is_integer()) result.dim = value.dim;
    return result;
}

static Value plain_call(Body& b, const ast::Expr& e, const ast::Call& c) {
    const ast::Expr& callee = *c.callee;
    if (const auto* a = std::get_if<ast::Attribute>(&callee.node)) {
        Value base = expression(b, *a->base);
        if (base.broken()) {
            evaluate_arguments(b, c);
            return {};
        }
        bool root_member = base.type.is(Kind::builtin) && !dotted(callee).empty();
        const bool named = base.type.is(Kind::name_space) || base.type.is(Kind::module) || root_member;
        if (!named) return method_call(b, e, c, *a, base);
    }
    if (const auto* s = std::get_if<ast::Subscript>(&callee.node)) {
        Value base = expression(b, *s->base);
        bool alloc_of = base.type.is(Kind::builtin) && base.type.builtin_name() == Builtin::tshared_alloc;
        if (alloc_of && s->indices.size() == 1) {
            b.record(callee, base);
            auto elem = named_dtype(b, *s->indices[0]);
            const BuiltinEntry& row = entry(Builtin::tshared_alloc);
            std::vector<bool> has_default;
            for (const BuiltinParameter& p : row.parameters) has_default.push_back(p.optional);
            note_keywords(b, c, row);
            Matched m = match_arguments(b, c, callee.span, "`tshared.alloc`", row.parameters, has_default, 0);
            if (!elem || !m.ok) {
                evaluate_arguments(b, c);
                return {};
            }
            return allocation(b, e, elem, m, false);
        }
        if (base.type.is(Kind::function)) {
            Value launcher = launch_groups(b, callee, *s, base.type.function_id());
            b.record(callee, launcher);
            if (launcher.broken()) {
                evaluate_arguments(b, c);
                return {};
            }
            std::vector<const ast::Expr*> groups = s->indices;
            if (groups.size() == 1 && std::holds_alternative<ast::Tuple>(groups[0]->node))
                groups = std::get<ast::Tuple>(groups[0]->node).elements;
            return function_call(b, e, c, base.type.function_id(), groups);
        }
    }
    Value value = expression(b, callee);
    if (value.broken()) {
        evaluate_arguments(b, c);
        return {};
    }
    if (value.type.is(Kind::function) && !value.type.parts().empty()) return held_call(b, e, c, value.type);
    if (value.type.is(Kind::function)) return function_call(b, e, c, value.type.function_id(), {});
    if (value.type.is(Kind::dtype)) return conversion_call(b, e, c, value.type.elem());
    if (value.type.is(Kind::builtin) && !entry(value.type.builtin_name()).is_value) {
        return builtin_call(b, e, c, entry(value.type.builtin_name()), nullptr);
    }
    if (value.type.is(Kind::record) && !value.type.is_keyed_dict()) return record_call(b, e, c, value.type);
    evaluate_arguments(b, c);
    auto& d = b.error("E0316", callee.span, fmt::format("{} is not called", shown(value.type)));
    const auto* name = std::get_if<ast::Name>(&callee.node);
    if (const auto ours = name ? own_spelling(name->text) : std::nullopt)
        d.suggest(callee.span, std::string(*ours), fmt::format("here this is `{}`", *ours));
    return {};
}

Value call_value(Body& b, const ast::Expr& e, const ast::Call& c) {
    if (std::ranges::none_of(c.arguments, &ast::Argument::unpacked)) return plain_call(b, e, c);
    const size_t outer_names = b.inner_names.size();
    const ast::Call* each = unpacked_call(b, e, c);
    Value value;
    if (each) {
        value = plain_call(b, e, *each);
    } else {
        for (const ast::Argument& argument : c.arguments) {
            if (!argument.unpacked) expression(b, *argument.value);
        }
    }
    b.inner_names.resize(outer_names);
    return value;
}

}  // namespace tsr::sema
