#include "sema/values/requirements.h"

#include <fmt/format.h>

#include "sema/state/recursion.h"
#include "sema/types/elements.h"
#include "sema/values/items.h"
#include "sema/values/making.h"
#include "sema/values/rounds.h"
#include "sema/values/writable.h"

namespace tsr::sema {

namespace {

std::optional<DType> dtype_of(const Value& value) {
    if (value.type.is(Kind::dtype)) return value.type.elem();
    if (value.value && value.value->dtype()) return value.value->dtype();
    if (value.type.is(Kind::builtin) && value.type.builtin_name() == Builtin::int_) return DType::i32;
    if (value.type.is(Kind::builtin) && value.type.builtin_name() == Builtin::float_) return DType::f32;
    return std::nullopt;
}

}  // namespace

bool names_dtype(Body& b, const ast::Expr& e) {
    return std::holds_alternative<ast::StringLiteral>(e.node) || dtype_of(expression(b, e));
}

std::optional<DType> named_dtype(Body& b, const ast::Expr& e) {
    if (const auto* text = std::get_if<ast::StringLiteral>(&e.node)) {
        if (!b.found(e)) b.record(e, typed(Type::string(), Static::of(text->value)));
        if (auto named = dtype_named(text->value)) return named;
        b.error("E0309", e.span, fmt::format("there is no element type `{}`", text->value));
        return std::nullopt;
    }
    Value value = expression(b, e);
    if (const auto type = dtype_of(value)) return type;
    if (!value.broken())
        b.error("E0309", e.span,
                fmt::format("an element type like `f32` is wanted here, this is {}", shown(value.type)));
    return std::nullopt;
}

void say_not_static(Diagnostic& d, const Slot& slot, Span read) {
    Span last = slot.first_at;
    for (const Span at : slot.assigned_at) {
        if (at.begin < read.begin) last = at;
    }
    if (!last.valid()) return;
    d.label(last, fmt::format("`{}` gets its value when the program runs", slot.name));
    if (slot.assigned_at.size() > 1 && slot.bindings > 1)
        d.note(fmt::format("`{}` is assigned {} times: a static name is assigned once", slot.name, slot.bindings));
}

bool require_static(Body& b, const ast::Expr& e, const Value& v, const std::string& what) {
    if (v.broken()) return false;
    if (v.value) return true;
    if (v.rounds != 0 && !unrolling_fixes(b, v.rounds)) {
        b.error("E0314", e.span, fmt::format("{} must be static", what)).note(kCapturedNote);
        return false;
    }
    if (v.rounds == 0) {
        auto& d = b.error("E0314", e.span, fmt::format("{} must be static", what));
        if (const auto* variable = std::get_if<VariableId>(&v.referent)) {
            say_not_static(d, b.slots[variable->index], e.span);
        } else if (std::holds_alternative<FieldName>(v.referent)) {
            d.note(
                "a field has its value when the program runs; what is static is a constant of the module or a "
                "parameter `static`");
        }
        return false;
    }
    unroll(b, v.rounds);
    return true;
}

std::optional<int64_t> static_integer(Body& b, const ast::Expr& e, const std::string& what) {
    Value value = expression(b, e);
    if (!value.broken() && !value.type.is_integer()) {
        b.error("E0302", e.span, fmt::format("{} must be an integer, this is {}", what, shown(value.type)));
        return std::nullopt;
    }
    if (!value.value && value.rounds != 0) {
        b.error("E0314", e.span, fmt::format("{} must be the same in every round of the loop", what));
        return std::nullopt;
    }
    if (!require_static(b, e, value, what)) return std::nullopt;
    return value.value->integer();
}

std::optional<std::string> static_string(Body& b, const ast::Expr& e, const std::string& what) {
    Value value = expression(b, e);
    if (value.broken()) return std::nullopt;
    if (!value.value || !value.value->string()) {
        b.error("E0314", e.span, fmt::format("{} must be a static string", what));
        return std::nullopt;
    }
    return *value.value->string();
}

void require_bool(Body& b, const ast::Expr& e, const Value& v) {
    if (v.broken() || v.type.is_bool()) return;
    auto& d = b.error("E0307", e.span, fmt::format("a condition is a `bool`, this is {}", shown(v.type)));
    if (v.type.is(Kind::tile) && has_bools(v.type))
        d.note("`&`, `|`, `~` and `where` work on each element; `tile.reduce(t, axis, \"any\")` asks for one of them");
    if (v.type.is_number()) d.suggest(e.span, b.source(e) + " != 0", "compare it with zero");
}

void require_integer(Body& b, const ast::Expr& e, const Value& v, const std::string& what) {
    if (v.broken() || v.type.is_integer()) return;
    auto& d = b.error("E0311", e.span, fmt::format("{} must be an integer, this is {}", what, shown(v.type)));
    if (v.type.is_float() && v.type.is_scalar()) offer_cast(b, d, e, v.type, DType::i32);
}

void offer_cast(Body& b, Diagnostic& d, const ast::Expr& e, const Type& from, DType to) {
    // What a loop goes through is not what its variable is given.
    const Kind given = b.instance.type(e).kind();  // of a register tile all elements are converted
    const bool same = given == from.kind() || given == Kind::tile;
    if (!is_element(from) || !same || b.checker.program.made.find(e.id)) return;
    std::string replacement = fmt::format("cast({}, {})", b.source(e), tsr::name(to));
    d.suggest(e.span, replacement, fmt::format("convert it: `{}`", replacement));
}

const ast::Expr* unfit_number(Body& b, const ast::Expr& list, const Type& elem) {
    const auto* written = std::get_if<ast::List>(&list.node);
    if (!written) return nullptr;
    for (const ast::Expr* element : written->elements) {
        const Value value = expression(b, *element);
        if (value.type.is_literal() && !converts(value, elem)) return element;
        if (const ast::Expr* inner = unfit_number(b, *element, elem)) return inner;
    }
    return nullptr;
}

bool require_converts(Body& b, const ast::Expr& e, const Value& v, const Type& wanted, const std::string& what) {
    // Where records are values, nobody writes what another one holds.
    const Type to = wanted.is(Kind::record) && !b.rules().host_objects ? wanted.with_mut(false) : wanted;
    if (v.broken() || to.is_unknown()) return false;
    if (makes_or_converts(b, e, v, to)) return true;
    // Who is given a dictionary of any keys may put others into it.
    if (to.is(Kind::dict) && v.type.is_keyed_dict()) widen_container(b, e, to);
    const bool same_class = v.type.is(Kind::record) && to.is(Kind::record) &&
                            v.type.function_id() == to.function_id() && v.type.names() == to.names();
    if (const auto other = same_class ? other_field(v.type, to) : std::nullopt) {
        b.error("E0302", e.span,
                fmt::format("{} is {} with `{}` {}, here that is {}", what, shown(to), other->path,
                            shown(other->wanted), shown(other->given)));
        return false;
    }
    if (same_class) return require_writable_record(b, e, v);
    bool numbers = v.type.is_number() && to.is_scalar();
    if (numbers && v.type.is(Kind::int_literal) && v.value && (is_integer(to.elem()) || is_float(to.elem()))) {
        b.error("E0306", e.span, fmt::format("`{}` does not hold {}", tsr::name(to.elem()), v.value->text()));
        return false;
    }
    if (numbers && policy_conflict(v.type.policy(), to.policy())) {
        b.error("E0321", e.span,
                fmt::format("the policies differ:{} and{}", v.type.policy().text(), to.policy().text()));
        return false;
    }
    auto& d = b.error("E0302", e.span, fmt::format("{} is {}, this is {}", what, shown(to), shown(v.type)));
    if (to.is_scalar() && !to.is_bool() && !v.type.is(Kind::tensor)) offer_cast(b, d, e, v.type, to.elem());
    return false;
}

Diagnostic& say_elsewhere(Body& b, Span at, const std::string& what) {
    const ElsewhereMessage elsewhere = elsewhere_message(b.instance.context);
    return b.error(elsewhere.code, at, fmt::format("{} {}", what, elsewhere.text));
}

void say_unknown_length(Body& b, Span at, const std::string& list) {
    b.error("E0314", at,
            fmt::format("the length of a list in a tree is static: nothing says how many items `{}` "
                        "has",
                        list))
        .note(
            "a list has the length that it is made with until `append` or its kin change it, `[f(i) for i in "
            "range(n)]` "
            "one where `n` is static (`n: static i32`); of one that the run makes, go through it on the host");
}

}  // namespace tsr::sema
