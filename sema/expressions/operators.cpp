#include "sema/expressions/operators.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/expressions/complex_operators.h"
#include "sema/expressions/conditions.h"
#include "sema/expressions/records.h"
#include "sema/expressions/register_tiles.h"
#include "sema/expressions/sequence_operators.h"
#include "sema/expressions/tensor_products.h"
#include "sema/expressions/whole_tensors.h"
#include "sema/state/recursion.h"
#include "sema/types/elements.h"
#include "sema/types/fold.h"
#include "sema/values/requirements.h"
#include "sema/values/rounds.h"
#include "sema/values/stored_forms.h"

namespace tsr::sema {

// A tuple that a call of `grad(f)` gives.
static bool gives_gradients(const ast::Expr& e, const Value& value) {
    const auto* call = std::get_if<ast::Call>(&e.node);
    const auto* made = call ? std::get_if<ast::Call>(&call->callee->node) : nullptr;
    const auto* name = made ? std::get_if<ast::Name>(&made->callee->node) : nullptr;
    return name && name->text == "grad" && value.type.is(Kind::tuple);
}

namespace {

std::string_view symbol(ast::BinaryOp op) {
    using enum ast::BinaryOp;
    switch (op) {
        case add:
            return "+";
        case sub:
            return "-";
        case mul:
            return "*";
        case div:
            return "/";
        case floordiv:
            return "//";
        case mod:
            return "%";
        case pow:
            return "**";
        case matmul:
            return "@";
        case bit_and:
            return "&";
        case bit_or:
            return "|";
        case bit_xor:
            return "^";
        case shl:
            return "<<";
        case shr:
            return ">>";
    }
    return "";
}

bool is_bitwise(ast::BinaryOp op) {
    using enum ast::BinaryOp;
    return op == bit_and || op == bit_or || op == bit_xor || op == shl || op == shr;
}

// The dimension that integer arithmetic on dimensions gives. `by_any`: also a quotient by one that only the run knows,
// which ends the program where it divides by zero.
std::optional<ir::Dim> dim_result(ast::BinaryOp op, const Value& a, const Value& b, bool by_any) {
    if (!a.dim || !b.dim) return std::nullopt;
    if (op == ast::BinaryOp::add) return *a.dim + *b.dim;
    if (op == ast::BinaryOp::sub) return *a.dim - *b.dim;
    if (op == ast::BinaryOp::mul) return *a.dim * *b.dim;
    if (op == ast::BinaryOp::floordiv && b.dim->constant_value().value_or(by_any ? 1 : 0) > 0)
        return ir::Dim::floor_quotient(*a.dim, *b.dim);
    return std::nullopt;
}

}  // namespace

std::optional<Type> operands_join(Body& b, const ast::Expr& le, const Value& l, const ast::Expr& re, const Value& r,
                                  Span op_span, const std::string& what) {
    if (auto joined = join_elements(l, r)) return joined;
    if (auto kind = policy_conflict(l.type.policy(), r.type.policy())) {
        b.error("E0321", op_span,
                fmt::format("the operands' {} policies differ:{} and{}", *kind, l.type.policy().text(),
                            r.type.policy().text()))
            .label(le.span, l.type.text())
            .label(re.span, r.type.text());
        return std::nullopt;
    }
    if (!require_broadcast(b, le, l, re, r, op_span, what)) return std::nullopt;
    if (!require_extents(b, le, l, re, r, op_span, what)) return std::nullopt;
    const Type left = element_type(l.type), right = element_type(r.type);
    for (auto [literal, le_, other] : {std::tuple(&l, &le, &right), std::tuple(&r, &re, &left)}) {
        if (!literal->type.is_literal() || !other->is_scalar()) continue;
        if (literal->type.is(Kind::int_literal) && literal->value && other->is_number()) {
            b.error("E0306", le_->span,
                    fmt::format("`{}` does not hold {}", tsr::name(other->elem()), literal->value->text()));
            return std::nullopt;
        }
    }
    bool float_beside_integer =
        (left.is(Kind::float_literal) && right.is_integer()) || (right.is(Kind::float_literal) && left.is_integer());
    std::string reason =
        float_beside_integer ? "an integer does not become a float by itself" : "neither widens exactly to the other";
    auto& d = b.error("E0301", op_span, fmt::format("{} of {} and {}: {}", what, shown(l.type), shown(r.type), reason));
    d.label(le.span, shown(l.type)).label(re.span, shown(r.type));
    offer_joining_cast(b, d, le, l.type, re, r.type);
    return std::nullopt;
}

// The narrower one is brought to the wider; a float wins over an integer.
void offer_joining_cast(Body& b, Diagnostic& d, const ast::Expr& le, const Type& l, const ast::Expr& re,
                        const Type& r) {
    const Type left = element_type(l), right = element_type(r);
    if ((left.is(Kind::float_literal) && right.is_integer()) || (right.is(Kind::float_literal) && left.is_integer())) {
        const bool is_left = left.is_integer();
        return offer_cast(b, d, is_left ? le : re, is_left ? l : r, DType::f32);
    }
    if (!left.is_number() || !right.is_number() || !left.is_scalar() || !right.is_scalar()) return;
    const bool alike = is_float(left.elem()) == is_float(right.elem());
    const bool to_left = alike ? bits(left.elem()) >= bits(right.elem()) : is_float(left.elem());
    offer_cast(b, d, to_left ? re : le, to_left ? r : l, to_left ? left.elem() : right.elem());
}

Value unary(Body& b, const ast::Expr& e, const ast::Unary& u) {
    if (u.op == ast::UnaryOp::logical_not) {
        Value result = condition_value(b, *u.operand);
        if (result.value) result.value = fold(u.op, *result.value).value;
        return result;
    }
    Value operand = expression(b, *u.operand);
    if (operand.broken()) return {};
    if (!require_no_kernel(b, e.span, "arithmetic", {operand})) return {};
    if (auto given = complex_unary(b, e, u, operand)) return *given;
    bool invert = u.op == ast::UnaryOp::invert;
    bool fits = invert ? has_integers(operand.type) || has_bools(operand.type)
                       : is_element(operand.type) && !has_bools(operand.type);
    if (!fits) {
        auto& d = b.error("E0308", e.span,
                          fmt::format("`{}` is not defined for {}",
                                      invert                        ? "~"
                                      : u.op == ast::UnaryOp::minus ? "-"
                                                                    : "+",
                                      shown(operand.type)));
        offer_load(b, d, *u.operand, operand.type);
        return {};
    }
    Value result;
    if (operand.type.is_bool()) {
        result.type = operand.type;
        result.compute = DType::boolean;
    } else {
        result.type = number_result(operand.type);
        result.compute = number_compute(operand.type);
    }
    if (operand.value) result.value = fold(u.op, *operand.value).value;
    if (result.value && result.type.is_scalar()) result.value = converted(*result.value, result.type.elem());
    if (operand.dim && u.op == ast::UnaryOp::minus) result.dim = ir::Dim::constant(0) - *operand.dim;
    return result;
}

Value binary(Body& b, const ast::Expr& e, const ast::Binary& operation) {
    Value l = expression(b, *operation.lhs), r = expression(b, *operation.rhs);
    if (operation.op == ast::BinaryOp::matmul && is_sparse_matrix(b, l.type) && r.type.is(Kind::tensor))
        return library_call(b, e, {.name = "_sparse_product", .file = "sparse", .signature = {}, .doc = {}},
                            {operation.lhs, operation.rhs});
    const bool left = stored_form(b, l.type) != nullptr, right = stored_form(b, r.type) != nullptr;
    if (operation.op == ast::BinaryOp::matmul && (left || right)) {
        const std::string_view product = left && right ? "_both_scaled" : left ? "_left_scaled" : "_right_scaled";
        return library_call(b, e, {.name = product, .file = "quantization", .signature = {}, .doc = {}},
                            {operation.lhs, operation.rhs});
    }
    if (auto given = complex_arithmetic(b, e, operation, fmt::format("`{}`", symbol(operation.op)), l, r))
        return *given;
    return arithmetic(b, e, operation.op, *operation.lhs, l, *operation.rhs, r, operation.op_span);
}

namespace {

// Whether integers have a power with this exponent: it is static, in each round of a loop at least, and not negative.
bool is_exponent(Body& b, const ast::Expr& e, const Value& exponent) {
    if (exponent.value) return exponent.value->integer().value_or(-1) >= 0;
    if (exponent.rounds == 0 || !unrolling_fixes(b, exponent.rounds)) return false;
    if (!is_never_negative(b, e, exponent.rounds)) return false;
    unroll(b, exponent.rounds);
    return true;
}

}  // namespace

Value arithmetic(Body& b, const ast::Expr& at, ast::BinaryOp op, const ast::Expr& le, const Value& l,
                 const ast::Expr& re, const Value& r, Span op_span) {
    if (l.broken() || r.broken()) return {};
    if (op == ast::BinaryOp::matmul && (l.type.is(Kind::tile) || r.type.is(Kind::tile))) {
        b.error("E0308", op_span, "`@` is the product of whole tensors")
            .suggest(le.span.to(re.span), fmt::format("tile.mma({}, {})", b.source(le), b.source(re)),
                     "the product of tiles is `tile.mma(a, b)`");
        return {};
    }
    if (op == ast::BinaryOp::matmul) return tensor_product(b, at, le, l, re, r, op_span);
    std::string what = fmt::format("`{}`", symbol(op));
    if (!require_no_kernel(b, op_span, what, {l, r})) return {};
    const bool whole = l.type.is(Kind::tensor) || r.type.is(Kind::tensor);
    if (l.value && r.value) {
        Folded folded = fold(op, *l.value, *r.value);
        bool untyped = l.type.is_literal() && r.type.is_literal();
        if (!folded.fault.empty() && untyped) {
            b.error("E0334", at.span, folded.fault);
            return {};
        }
        if (folded.value && !untyped && l.type.is(Kind::string))
            return Value{Type::string(), folded.value, {}, 0, {}, {}, {}};
        if (folded.value && untyped) {
            Value result;
            result.value = folded.value;
            result.type = folded.value->is_integer() ? Type::int_literal() : Type::float_literal();
            result.compute = settled(*folded.value);
            if (auto n = folded.value->integer()) result.dim = ir::Dim::constant(*n);
            return result;
        }
    }
    if (auto sequence = sequence_arithmetic(b, op, l, r)) return *sequence;
    if (!is_element(l.type) || !is_element(r.type)) {
        auto& d = b.error("E0308", op_span,
                          fmt::format("{} is not defined for {} and {}", what, shown(l.type), shown(r.type)));
        d.label(le.span, shown(l.type)).label(re.span, shown(r.type));
        offer_load(b, d, l.type.is(Kind::view) ? le : re, l.type.is(Kind::view) ? l.type : r.type);
        if (gives_gradients(le, l) || gives_gradients(re, r))
            d.note("`grad(f)` gives a gradient for each parameter, as a tuple; of one parameter: `grad(f, wrt=\"w\")`");
        return {};
    }
    bool bools = has_bools(l.type) && has_bools(r.type);
    bool bad = is_bitwise(op) ? has_floats(l.type) || has_floats(r.type) ||
                                    (bools && (op == ast::BinaryOp::shl || op == ast::BinaryOp::shr))
                              : has_bools(l.type) || has_bools(r.type);
    if (bad) {
        auto& d = b.error("E0308", op_span,
                          fmt::format("{} is not defined for {} and {}", what, shown(l.type), shown(r.type)));
        d.label(le.span, shown(l.type)).label(re.span, shown(r.type));
        if (has_bools(l.type) != has_bools(r.type) && !is_bitwise(op)) {
            const auto& [mask, number] = has_bools(l.type) ? std::pair(&le, &re) : std::pair(&re, &le);
            const std::string choice = fmt::format("where({}, {}, 0)", b.source(*mask), b.source(*number));
            if (op == ast::BinaryOp::mul)
                d.suggest(at.span, choice, fmt::format("choose by the truth values: `{}`", choice));
            else
                d.note("truth values become numbers by `cast`");
        }
        return {};
    }
    bool integers = !has_floats(l.type) && !has_floats(r.type) && !bools;
    if (op == ast::BinaryOp::div && integers) {
        auto& d =
            b.error("E0304", op_span,
                    fmt::format("`/` of {} and {}: integers have no exact quotient", shown(l.type), shown(r.type)));
        d.suggest(op_span, "//", "`//` rounds down").note("for a float result: `cast(…, f32)`");
        return {};
    }
    auto joined = operands_join(b, le, l, re, r, op_span, what);
    if (!joined) return {};
    note_extents(b, at, {l, r});
    Value result;
    result.dim = dim_result(op, l, r, b.rules().new_values);
    if (bools) {
        result.type = *joined;
        result.compute = DType::boolean;
        if (l.value && r.value) result.value = fold(op, *l.value, *r.value).value;
        return result;
    }
    const Type elements = element_type(*joined);
    if (elements.is_scalar() && !elements.is_integer() && !elements.is_float()) {
        b.error("E0308", op_span, fmt::format("{} is not defined for {}", what, shown(*joined)));
        return {};
    }
    bool divides = op == ast::BinaryOp::floordiv || op == ast::BinaryOp::mod || op == ast::BinaryOp::div;
    // In kernels and of whole tensors it gives 0.
    if (divides && integers && !whole && b.rules().checks_zero && r.value && r.value->integer() == 0)
        b.error("E0334", re.span, "division by zero");
    if (op == ast::BinaryOp::pow && integers && !is_exponent(b, re, r)) {
        auto& d = b.error("E0308", op_span, "`**` of integers wants a static exponent that is not negative");
        if (r.rounds != 0 && !unrolling_fixes(b, r.rounds)) {
            d.note(kCapturedNote);
        } else {
            d.note("`cast(x, f32) ** y` computes in floats");
        }
        return {};
    }
    result.type = number_result(*joined);
    result.compute = number_compute(*joined);
    // The number of a round that stands for itself: `i % 2` where `i` is 3.
    if (l.value && r.value && result.type == Type::index()) {
        const Folded folded = fold(op, *l.value, *r.value);
        if (folded.value && folded.value->integer()) result.value = folded.value;
    }
    return result;
}

static bool is_equality(ast::CompareOp op) { return op == ast::CompareOp::eq || op == ast::CompareOp::ne; }

// Tuples of which one has a number where the other has a string.
static bool are_never_equal(const Type& a, const Type& b) {
    if (!a.is(Kind::tuple) || !b.is(Kind::tuple) || a.parts().size() != b.parts().size()) return false;
    const auto differ = [](const Type& number, const Type& string) {
        return (number.is_number() || number.is_bool()) && string.is(Kind::string);
    };
    for (size_t i = 0; i < a.parts().size(); ++i) {
        const Type &one = a.parts()[i], &other = b.parts()[i];
        if (differ(one, other) || differ(other, one)) return true;
    }
    return false;
}

static std::optional<ir::Dim> dimension_value(const Value& v) {
    const auto number = v.value ? v.value->integer() : std::nullopt;
    return number ? ir::Dim::constant(*number) : v.dim;
}

// Whether tuples of integers are equal, as `x.shape == (n, 3)`; nothing where only the run knows.
static std::optional<bool> are_equal_shapes(const Value& l, const Value& r) {
    if (!l.type.is(Kind::tuple) || !r.type.is(Kind::tuple)) return std::nullopt;
    const size_t count = l.type.parts().size();
    if (count != r.type.parts().size()) return false;
    if (l.elements.size() != count || r.elements.size() != count) return std::nullopt;
    bool all = true;
    for (size_t i = 0; i < count; ++i) {
        const auto one = dimension_value(l.elements[i]), other = dimension_value(r.elements[i]);
        const ir::Equality same = one && other ? ir::compare(*one, *other) : ir::Equality::unknown;
        if (same == ir::Equality::different) return false;
        all = all && same == ir::Equality::equal;
    }
    return all ? std::optional(true) : std::nullopt;
}

// Tuples that kernels and graph functions compare: of as many integers.
static bool are_compared_shapes(const Body& b, ast::CompareOp op, const Type& l, const Type& r) {
    if (b.rules().host_objects || !is_equality(op) || !l.is(Kind::tuple) || !r.is(Kind::tuple)) return false;
    const auto is_integer = [](const Type& part) { return part.is_integer(); };
    return l.parts().size() == r.parts().size() && std::ranges::all_of(l.parts(), is_integer) &&
           std::ranges::all_of(r.parts(), is_integer);
}

static std::optional<bool> known_comparison(ast::CompareOp op, const Value& l, const Value& r) {
    // The type alone says whether a value is `None`: an argument that was left out.
    const bool none = l.type.is(Kind::none), other_none = r.type.is(Kind::none);
    if (is_equality(op) && !l.broken() && !r.broken() && (none || other_none))
        return (none && other_none) == (op == ast::CompareOp::eq);
    const bool looks_in = op == ast::CompareOp::in || op == ast::CompareOp::not_in;
    if (looks_in && r.type.is_keyed_dict() && l.value && l.value->string())
        return field_of(r.type, *l.value->string()).has_value() == (op == ast::CompareOp::in);
    if (l.value && r.value) return fold(op, *l.value, *r.value);
    if (!is_equality(op)) return std::nullopt;
    if (are_never_equal(l.type, r.type)) return op == ast::CompareOp::ne;
    const auto equal = are_equal_shapes(l, r);
    return equal ? std::optional(*equal == (op == ast::CompareOp::eq)) : std::nullopt;
}

Value comparison(Body& b, const ast::Expr& e, const ast::Compare& c) {
    if (auto given = complex_comparison(b, e, c)) return *given;
    const ast::Expr* before = c.first;
    Value l = expression(b, *c.first);
    Value result;
    result.type = Type::boolean();
    bool all_known = true, all_hold = true, any_broken = false;
    std::vector<DType> compared;
    for (const ast::Compare::Link& link : c.links) {
        Value r = expression(b, *link.rhs);
        any_broken = any_broken || l.broken() || r.broken();
        const std::optional<bool> known = known_comparison(link.op, l, r);
        all_known = all_known && known.has_value();
        all_hold = all_hold && known.value_or(false);
        compared.push_back(DType::boolean);
        bool equality = is_equality(link.op);
        if (!l.broken() && !r.broken() && !known) {
            const bool looks_in = link.op == ast::CompareOp::in || link.op == ast::CompareOp::not_in;
            if (looks_in && !b.rules().host_objects && has_written_elements(r)) {
                const auto compute = in_elements(b, *before, l, *link.rhs, r);
                if (compute) compared.back() = *compute;
                before = link.rhs;
                l = std::move(r);
                continue;
            }
            if (are_compared_shapes(b, link.op, l.type, r.type)) {
                compared.back() = DType::i64;
                before = link.rhs;
                l = std::move(r);
                continue;
            }
            if (compare_sequences(b, link.op, *before, l, *link.rhs, r)) {
                before = link.rhs;
                l = std::move(r);
                continue;
            }
            if (!require_no_kernel(b, before->span.to(link.rhs->span), "comparison", {l, r})) return {};
            bool bools = has_bools(l.type) && has_bools(r.type);
            // Of a static parameter of a function that nobody calls: elsewhere strings are objects of the host.
            const bool strings = l.type.is(Kind::string) && r.type.is(Kind::string) && !b.rules().host_objects;
            if (strings) {
                result.type = Type::boolean();
            } else if (!is_element(l.type) || !is_element(r.type) || (bools && !equality)) {
                auto& d = b.error("E0308", before->span.to(link.rhs->span),
                                  fmt::format("{} and {} are not compared", shown(l.type), shown(r.type)));
                offer_load(b, d, l.type.is(Kind::view) ? *before : *link.rhs, l.type.is(Kind::view) ? l.type : r.type);
            } else {
                auto joined = operands_join(b, *before, l, *link.rhs, r, before->span.to(link.rhs->span), "comparison");
                if (joined) note_extents(b, e, {l, r});
                if (joined && !bools) compared.back() = number_compute(*joined);
                if (joined) result.type = bool_like(*joined);
                if (joined && !result.type.is_bool() && c.links.size() > 1) {
                    b.error("E0307", e.span,
                            fmt::format("a chain of comparisons wants one truth value, this is {}", shown(result.type)))
                        .note("compare twice and combine the elements: `(a < x) & (x < b)`");
                    return {};
                }
            }
        }
        before = link.rhs;
        l = std::move(r);
    }
    if (any_broken && b.aloud) return {};  // its elements may be tensors
    if (all_known) result.value = Static::of(all_hold);
    b.instance.compared[e.id] = std::move(compared);
    return result;
}

}  // namespace tsr::sema
