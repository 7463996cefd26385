// Expressions: which rule checks which kind, literals and displays, and the demands that contexts make on values.
#include <fmt/format.h>

#include "sema/body.h"
#include "sema/elements.h"
#include "sema/items.h"
#include "sema/round_values.h"

namespace tsr::sema {

namespace {

// Each step of `t = (t, t)` would double it.
constexpr size_t kLargestType = 4096;

Value integer_literal(const ast::IntLiteral& literal) {
    Value value;
    value.type = Type::int_literal();
    value.value = Static::of_unsigned(literal.value);
    if (auto n = value.value->integer()) value.dim = ir::Dim::constant(*n);
    return value;
}

Value known(Type type, Static constant) {
    Value value;
    value.type = std::move(type);
    value.value = std::move(constant);
    return value;
}

struct Dispatch {
    Body& body;
    const ast::Expr& e;

    Value operator()(const ast::Hole&) { return {}; }
    Value operator()(const ast::Name& n) { return body.name(e, n.text); }
    Value operator()(const ast::IntLiteral& n) { return n.overflow ? Value{} : integer_literal(n); }
    Value operator()(const ast::FloatLiteral& n) { return known(Type::float_literal(), Static::of(n.value)); }
    Value operator()(const ast::StringLiteral& s) { return known(Type::string(), Static::of(s.value)); }
    Value operator()(const ast::BoolLiteral& b) { return known(Type::boolean(), Static::of(b.value)); }
    Value operator()(const ast::NoneLiteral&) { return known(Type::none(), Static::none()); }
    Value operator()(const ast::EllipsisLiteral&) {
        Value value;
        value.type = Type::none();
        return value;
    }
    Value operator()(const ast::FString& f) { return body.fstring(e, f); }
    Value operator()(const ast::Unary& u) { return body.unary(e, u); }
    Value operator()(const ast::Binary& b) { return body.binary(e, b); }
    Value operator()(const ast::Compare& c) { return body.compare(e, c); }
    Value operator()(const ast::Logical& l) { return body.logical(e, l, false); }
    Value operator()(const ast::Conditional& c) { return body.conditional(e, c); }
    Value operator()(const ast::Lambda& l) {
        const auto within = body.function ? std::optional(body.function->id) : std::nullopt;
        const FunctionId id = body.checker.function_of(e, l, body.instance.module, within);
        if (within) body.inner_generics.insert(id);
        Value value;
        value.type = Type::function(id);
        value.referent = FunctionName{id};
        return value;
    }
    Value operator()(const ast::Call& c) { return body.call(e, c); }
    Value operator()(const ast::Subscript& s) { return body.subscript(e, s); }
    Value operator()(const ast::Slice&) {
        body.error("E0308", e.span, "a slice stands only between brackets");
        return {};
    }
    Value operator()(const ast::Attribute& a) { return body.attribute(e, a); }
    Value operator()(const ast::Tuple& t) { return body.tuple(e, t.elements); }
    Value operator()(const ast::List& l) { return body.list(e, l.elements); }
    Value operator()(const ast::Dict& d) { return body.dict(e, d); }
    Value operator()(const ast::Comprehension& c) { return body.comprehension(e, c); }
    Value operator()(const ast::Qualified&) { return written_type(); }
    Value operator()(const ast::WithPolicy&) { return written_type(); }

    Value written_type() {
        Annotation written = body.annotation(e, false);
        Value value;
        if (!written.type.is_unknown()) value.type = Type::type_value(written.type);
        return value;
    }
};

}  // namespace

Value Body::expr(const ast::Expr& e) {
    if (checker.cancelled()) return {};
    Value value = std::visit(Dispatch{*this, e}, e.node);
    if (value.type.size() > kLargestType) {
        error("E0338", e.span, fmt::format("the type of this has more than {} parts", kLargestType));
        value = {};
    }
    return record(e, std::move(value));
}

Value Body::record(const ast::Expr& e, Value value) {
    ExprInfo& info = instance.exprs[e.id];
    info.type = value.type;
    info.value = value.value;
    info.dim = value.dim;
    info.referent = value.referent;
    info.compute = value.compute;
    info.rounds = value.value ? 0 : value.rounds;
    if (!value.value && !value.broken() && value.rounds == 0) {
        value.rounds = info.rounds = rounds_of(instance, e).value_or(0);
    }
    return value;
}

// ---- displays ----

Value Body::tuple(const ast::Expr&, const std::vector<const ast::Expr*>& elements) {
    Value result;
    std::vector<Type> types;
    std::vector<Static> values;
    for (const ast::Expr* element : elements) {
        Value value = expr(*element);
        types.push_back(value.type);
        if (value.value) values.push_back(*value.value);
        result.elements.push_back(std::move(value));
    }
    result.type = Type::tuple(std::move(types));
    if (values.size() == elements.size()) result.value = Static::of(std::move(values));
    return result;
}

namespace {

// `{x:<{width}}`: the format, itself a text with holes. True where it is known when the program is compiled, as it must
// be in a kernel.
bool formatted_spec(Body& b, const ast::Expr& spec) {
    bool known = true;
    for (const ast::FString::Part& part : std::get<ast::FString>(spec.node).parts) {
        if (!part.value) continue;
        const Value value = b.expr(*part.value);
        if (b.in_kernel()) known &= b.require_static(*part.value, value, "the format of a value in a kernel");
        known &= value.value.has_value();
    }
    Value text;
    text.type = Type::string();
    b.record(spec, text);
    return known;
}

// The type of an f-string, and whether all its values are known when the program is compiled.
std::pair<Value, bool> formatted(Body& b, const ast::FString& f) {
    bool fixed = true;
    for (const ast::FString::Part& part : f.parts) {
        if (!part.value) continue;
        const Value value = b.expr(*part.value);
        if (part.spec) fixed &= formatted_spec(b, *part.spec);
        if (b.in_kernel() && part.conversion != 0 && !part.format.empty())
            b.error("E0417", part.value->span, "in a kernel a value has a conversion or a format, not both");
        fixed &= value.broken() || value.value.has_value();
    }
    Value text;
    text.type = Type::string();
    return {text, fixed};
}

}  // namespace

Value Body::fstring(const ast::Expr& e, const ast::FString& f) {
    auto [text, fixed] = formatted(*this, f);
    if (in_kernel() && !fixed) {
        error("E0417", e.span, "a kernel has no text made of values")
            .note("an f-string of values stands directly in `print(…)` or behind the comma of an `assert`");
        return {};
    }
    return text;
}

Value Body::message_part(const ast::Expr& e) {
    const auto* text = std::get_if<ast::FString>(&e.node);
    if (!text) return expr(e);
    const Value value = formatted(*this, *text).first;
    record(e, value);
    return value;
}

// ---- what contexts demand ----

std::optional<DType> Body::dtype(const ast::Expr& e) {
    if (const auto* text = std::get_if<ast::StringLiteral>(&e.node)) {
        record(e, known(Type::string(), Static::of(text->value)));
        if (auto named = dtype_named(text->value)) return named;
        error("E0309", e.span, fmt::format("there is no element type `{}`", text->value));
        return std::nullopt;
    }
    Value value = expr(e);
    if (value.type.is(Kind::dtype)) return value.type.elem();
    if (value.value && value.value->dtype()) return value.value->dtype();
    if (value.type.is(Kind::builtin) && value.type.builtin_name() == Builtin::int_) return DType::i32;
    if (value.type.is(Kind::builtin) && value.type.builtin_name() == Builtin::float_) return DType::f32;
    if (!value.broken())
        error("E0309", e.span, fmt::format("an element type like `f32` is wanted here, this is {}", shown(value.type)));
    return std::nullopt;
}

// Points at the assignment whose value the name has at `read`.
void Body::say_not_static(Diagnostic& d, const Slot& slot, Span read) const {
    Span last = slot.first_at;
    for (const Span at : slot.assigned_at) {
        if (at.begin < read.begin) last = at;
    }
    if (!last.valid()) return;
    d.label(last, fmt::format("`{}` gets its value when the program runs", slot.name));
    if (slot.assigned_at.size() > 1 && slot.bindings > 1)
        d.note(fmt::format("`{}` is assigned {} times: a static name is assigned once", slot.name, slot.bindings));
}

bool Body::require_static(const ast::Expr& e, const Value& v, const std::string& what) {
    if (v.broken()) return false;
    if (v.value) return true;
    if (v.rounds != 0 && !unrolling_fixes(v.rounds)) {
        error("E0314", e.span, fmt::format("{} must be static", what)).note(kCapturedNote);
        return false;
    }
    if (v.rounds == 0) {
        auto& d = error("E0314", e.span, fmt::format("{} must be static", what));
        if (const auto* variable = std::get_if<VariableId>(&v.referent)) {
            say_not_static(d, slots[variable->index], e.span);
        }
        return false;
    }
    unroll(v.rounds);
    return true;
}

std::optional<int64_t> Body::static_integer(const ast::Expr& e, const std::string& what) {
    Value value = expr(e);
    if (!value.broken() && !value.type.is_integer()) {
        error("E0302", e.span, fmt::format("{} must be an integer, this is {}", what, shown(value.type)));
        return std::nullopt;
    }
    if (!value.value && value.rounds != 0) {
        error("E0314", e.span, fmt::format("{} must be the same in every round of the loop", what));
        return std::nullopt;
    }
    if (!require_static(e, value, what)) return std::nullopt;
    return value.value->integer();
}

std::optional<std::string> Body::static_string(const ast::Expr& e, const std::string& what) {
    Value value = expr(e);
    if (value.broken()) return std::nullopt;
    if (!value.value || !value.value->string()) {
        error("E0314", e.span, fmt::format("{} must be a static string", what));
        return std::nullopt;
    }
    return *value.value->string();
}

void Body::require_bool(const ast::Expr& e, const Value& v) {
    if (v.broken() || v.type.is_bool()) return;
    auto& d = error("E0307", e.span, fmt::format("a condition is a `bool`, this is {}", shown(v.type)));
    if (v.type.is(Kind::tile) && has_bools(v.type))
        d.note("`&`, `|`, `~` and `where` work on each element; `tile.reduce(t, axis, \"any\")` asks for one of them");
    if (v.type.is_number()) d.suggest(e.span, source(e) + " != 0", "compare it with zero");
}

void Body::require_integer(const ast::Expr& e, const Value& v, const std::string& what) {
    if (v.broken() || v.type.is_integer()) return;
    auto& d = error("E0311", e.span, fmt::format("{} must be an integer, this is {}", what, shown(v.type)));
    if (v.type.is_float() && v.type.is_scalar()) offer_cast(d, e, v.type, DType::i32);
}

void Body::offer_cast(Diagnostic& d, const ast::Expr& e, const Type& from, DType to) {
    // What a loop goes through is not what its variable is given.
    if (!is_element(from) || instance.type(e).kind() != from.kind() || checker.program.is_made(e)) return;
    std::string replacement = fmt::format("cast({}, {})", source(e), tsr::name(to));
    d.suggest(e.span, replacement, fmt::format("convert it: `{}`", replacement));
}

bool Body::require_converts(const ast::Expr& e, const Value& v, const Type& to, const std::string& what) {
    if (v.broken() || to.is_unknown()) return false;
    if (makes_or_converts(e, v, to)) return true;
    const bool same_class = v.type.is(Kind::record) && to.is(Kind::record) && v.type.function_id() == to.function_id();
    if (same_class) return require_writable_record(e, v);
    bool numbers = v.type.is_number() && to.is_scalar();
    if (numbers && v.type.is(Kind::int_literal) && v.value && (is_integer(to.elem()) || is_float(to.elem()))) {
        error("E0306", e.span, fmt::format("`{}` does not hold {}", tsr::name(to.elem()), v.value->text()));
        return false;
    }
    if (numbers && policy_conflict(v.type.policy(), to.policy())) {
        error("E0321", e.span, fmt::format("the policies differ:{} and{}", v.type.policy().text(), to.policy().text()));
        return false;
    }
    auto& d = error("E0302", e.span, fmt::format("{} is {}, this is {}", what, shown(to), shown(v.type)));
    if (to.is_scalar() && !to.is_bool()) offer_cast(d, e, v.type, to.elem());
    return false;
}

}  // namespace tsr::sema
