// Expressions: which rule checks which kind; literals.
#include <fmt/format.h>

#include "sema/annotations/annotations.h"
#include "sema/calls/calls.h"
#include "sema/expressions/comprehensions.h"
#include "sema/expressions/conditions.h"
#include "sema/expressions/displays.h"
#include "sema/expressions/formatted_strings.h"
#include "sema/expressions/indexing.h"
#include "sema/expressions/members.h"
#include "sema/expressions/names.h"
#include "sema/expressions/operators.h"
#include "sema/state/given_up.h"
#include "sema/state/recursion.h"
#include "sema/values/dimensions.h"

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

struct Dispatch {
    Body& body;
    const ast::Expr& e;

    Value operator()(const ast::Hole&) { return {}; }
    Value operator()(const ast::Name& n) { return name_value(body, e, n.text); }
    Value operator()(const ast::IntLiteral& n) { return n.overflow ? Value{} : integer_literal(n); }
    Value operator()(const ast::FloatLiteral& n) { return typed(Type::float_literal(), Static::of(n.value)); }
    Value operator()(const ast::StringLiteral& s) { return typed(Type::string(), Static::of(s.value)); }
    Value operator()(const ast::BoolLiteral& b) { return typed(Type::boolean(), Static::of(b.value)); }
    Value operator()(const ast::NoneLiteral&) { return typed(Type::none(), Static::none()); }
    Value operator()(const ast::EllipsisLiteral&) {
        Value value;
        value.type = Type::none();
        return value;
    }
    Value operator()(const ast::FString& f) { return formatted_string(body, e, f); }
    Value operator()(const ast::Unary& u) { return unary(body, e, u); }
    Value operator()(const ast::Binary& b) { return binary(body, e, b); }
    Value operator()(const ast::Compare& c) { return comparison(body, e, c); }
    Value operator()(const ast::Logical& l) { return logical(body, e, l, false); }
    Value operator()(const ast::Conditional& c) { return conditional(body, e, c); }
    Value operator()(const ast::Lambda& l) {
        const auto within = body.function ? std::optional(body.function->id) : std::nullopt;
        const FunctionId id = body.checker.function_of(e, l, body.instance.module, within);
        if (within) body.inner_generics.insert(id);
        Value value;
        value.type = Type::function(id);
        value.referent = FunctionName{id};
        return value;
    }
    Value operator()(const ast::Call& c) { return call_value(body, e, c); }
    Value operator()(const ast::Subscript& s) { return subscript(body, e, s); }
    Value operator()(const ast::Slice&) {
        body.error("E0308", e.span, "a slice stands only between brackets");
        return {};
    }
    Value operator()(const ast::Attribute& a) { return attribute_value(body, e, a); }
    Value operator()(const ast::Tuple& t) { return tuple_display(body, e, t.elements); }
    Value operator()(const ast::List& l) { return list_display(body, e, l.elements); }
    Value operator()(const ast::Dict& d) { return dict_display(body, e, d); }
    Value operator()(const ast::Comprehension& c) { return comprehension(body, e, c); }
    Value operator()(const ast::Qualified&) { return written_type(body, e); }
    Value operator()(const ast::WithPolicy&) { return written_type(body, e); }
};

}  // namespace

Value expression(Body& b, const ast::Expr& e) {
    if (b.checker.cancelled()) throw GivenUp();
    if (const Value* known = b.found(e)) return *known;
    Value value = std::visit(Dispatch{b, e}, e.node);
    if (value.type.size() > kLargestType) {
        b.error("E0338", e.span, fmt::format("the type of this has more than {} parts", kLargestType));
        value = {};
    }
    read_integer(b, e, value);
    return b.record(e, std::move(value));
}

}  // namespace tsr::sema
