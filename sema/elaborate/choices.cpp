#include "sema/elaborate/choices.h"

#include <algorithm>

#include "base/numerics.h"
#include "sema/elaborate/arithmetic.h"
#include "sema/elaborate/containers.h"
#include "sema/elaborate/host.h"
#include "sema/elaborate/recursion.h"
#include "sema/elaborate/strings.h"
#include "sema/elaborate/types.h"
#include "sema/types/fold.h"

namespace tsr::elaborate {

using ir::OpKind;
using ir::ValueId;

namespace {

OpKind kind_of(ast::CompareOp op) {
    switch (op) {
        case ast::CompareOp::eq:
            return OpKind::eq;
        case ast::CompareOp::ne:
            return OpKind::ne;
        case ast::CompareOp::lt:
            return OpKind::lt;
        case ast::CompareOp::le:
            return OpKind::le;
        case ast::CompareOp::gt:
            return OpKind::gt;
        case ast::CompareOp::ge:
            return OpKind::ge;
        case ast::CompareOp::in:
        case ast::CompareOp::not_in:
            break;
    }
    return OpKind::eq;
}

// More than this much is not computed for nothing.
constexpr size_t kEarly = 12;

std::optional<bool> static_truth(const Val& value) { return value.is_fixed() ? value.fixed.truth() : std::nullopt; }

// Whether a side of the `if` wrote an array of each tile.
bool writes_locals(const Body& b, const Body::OpenIf& open) {
    const auto held = [](const Env& env, Slot slot) {
        const auto found = env.find(slot);
        return found == env.end() ? Val{} : found->second;
    };
    return std::ranges::any_of(b.local_arrays, [&](Slot slot) {
        return b.env.contains(slot) && std::ranges::any_of(open.envs, [&](const Env& side) {
                   return !(held(side, slot) == held(b.env, slot));
               });
    });
}

bool may_run_early(Body& b, const Body::OpenIf& open, int side) {
    return b.emit.may_run_early(open.regions[side]) && !writes_locals(b, open);
}

// `lhs` decides alone when it is `decisive`; else the result is that of `rhs`.
Val short_circuit(Body& b, const Val& lhs, bool decisive, const std::function<Val()>& rhs) {
    if (const auto known = static_truth(lhs)) {
        if (*known == decisive) return Val::truth(decisive);
        const Val value = rhs();
        if (const auto truth = static_truth(value)) return Val::truth(*truth);
        return Val::ssa(b.truth(value), DType::boolean);
    }
    const ValueId condition = b.truth(lhs);
    const int side = decisive ? 1 : 0;
    Body::OpenIf open = b.open_if(condition);
    ValueId other;
    std::optional<bool> known;
    b.in_side(open, side, [&] {
        const Val value = rhs();
        known = static_truth(value);
        other = known ? b.emit.constant(static_cast<int64_t>(*known), DType::boolean) : b.truth(value);
    });
    if (known && *known != decisive && may_run_early(b, open, side)) {
        b.function().remove(open.op);
        return Val::ssa(condition, DType::boolean);
    }
    // Also where the right side alone is known to decide: what varies is decided on the text as it stands, so the
    // result comes from both.
    if (may_run_early(b, open, side)) {
        b.function().remove(open.op);
        b.emit.splice(open.regions[side]);
        return Val::ssa(b.emit.inferred(decisive ? OpKind::bit_or : OpKind::bit_and, {condition, other}),
                        DType::boolean);
    }
    const Val evaluated = Val::ssa(other, DType::boolean);
    const Val decided = Val::truth(decisive);
    const Val result =
        side == 0 ? b.join(evaluated, decided, nullptr, open) : b.join(decided, evaluated, nullptr, open);
    b.close_if(open);
    return result;
}

Val compared(Body& b, ast::CompareOp op, const Val& lhs, const Val& rhs, DType compute) {
    if (lhs.is_fixed() && rhs.is_fixed()) {
        if (const auto folded = sema::fold(op, lhs.fixed, rhs.fixed)) return Val::truth(*folded);
    }
    if (is_text(b, lhs) || is_text(b, rhs)) return compare_text(b, kind_of(op), lhs, rhs);
    return element_operation(b, kind_of(op), {lhs, rhs}, compute, DType::boolean);
}

}  // namespace

// Whether one of so many comparisons holds, or all of them.
static Val joined(Body& b, size_t count, bool one_of_them, const std::function<Val(size_t)>& comparison) {
    Val joint = Val::truth(!one_of_them);
    for (size_t i = 0; i < count; ++i) {
        const Val one = comparison(i);
        if (one.is_fixed_bool(one_of_them)) return one;
        if (one.is_fixed()) continue;
        joint = joint.is_fixed()
                    ? one
                    : Val::ssa(b.emit.inferred(one_of_them ? OpKind::bit_or : OpKind::bit_and, {joint.id, one.id}),
                               DType::boolean);
    }
    return joint;
}

// In kernels and graphs: a number or string that is looked for in a tuple is compared with each of its elements.
static Val in_tuple(Body& b, const Val& item, const Val& tuple, DType compute, bool inside) {
    const ast::CompareOp op = inside ? ast::CompareOp::eq : ast::CompareOp::ne;
    return joined(b, tuple.element_count(), inside,
                  [&](size_t i) { return compared(b, op, item, tuple.element(i), compute); });
}

// There, tuples are compared element by element, for `==` or `!=`.
static Val compared_tuples(Body& b, ast::CompareOp op, const Val& l, const Val& r, DType compute) {
    if (l.element_count() != r.element_count()) return Val::truth(op == ast::CompareOp::ne);
    return joined(b, l.element_count(), op == ast::CompareOp::ne,
                  [&](size_t i) { return compared(b, op, l.element(i), r.element(i), compute); });
}

Val both(Body& b, const Val& lhs, const std::function<Val()>& rhs) { return short_circuit(b, lhs, false, rhs); }

Val compare(Body& b, const ast::Expr& e, const ast::Compare& node) {
    Val left = expression(b, *node.first);
    const std::vector<DType>& compute = b.instance().compared.at(e.id);
    // The links from `k` on: each is evaluated only where the ones before hold.
    const std::function<Val(size_t)> chain = [&](size_t k) -> Val {
        const Val right = expression(b, *node.links[k].rhs);
        const ast::CompareOp op = node.links[k].op;
        const bool inside = op == ast::CompareOp::in;
        const bool in_elements =
            (inside || op == ast::CompareOp::not_in) && !b.rules().host_objects && right.has_elements();
        const ast::Expr& left_expr = k == 0 ? *node.first : *node.links[k - 1].rhs;
        const bool tuples = !b.rules().host_objects && left.has_elements() && right.has_elements();
        const std::optional<Val> whole = in_elements ? in_tuple(b, left, right, compute[k], inside)
                                         : tuples
                                             ? compared_tuples(b, op, left, right, compute[k])
                                             : compare_containers(b, op, left_expr, left, *node.links[k].rhs, right);
        Val holds = whole ? *whole : compared(b, op, left, right, compute[k]);
        if (k + 1 == node.links.size()) return holds;
        left = right;
        return short_circuit(b, holds, false, [&] { return chain(k + 1); });
    };
    return chain(0);
}

Val chosen(Body& b, ValueId test, const sema::Type& type, std::optional<DType> compute,
           const std::function<Val()>& then, const std::function<Val()>& otherwise) {
    Body::OpenIf open = b.open_if(test);
    Val values[2];
    b.in_side(open, 0, [&] { values[0] = then(); });
    b.in_side(open, 1, [&] { values[1] = otherwise(); });
    const bool element = type.is_scalar() || type.is_literal() || type.is(sema::Kind::vector);
    const auto size = [&](int side) { return b.function().region(open.regions[side]).ops.size(); };
    if (element && size(0) + size(1) <= kEarly && may_run_early(b, open, 0) && may_run_early(b, open, 1)) {
        b.function().remove(open.op);
        b.emit.splice(open.regions[0]);
        b.emit.splice(open.regions[1]);
        unify(b, values[0], values[1], type, compute);
        const auto language_type = element_type(b, values[0]);
        return Val::ssa(b.emit.inferred(OpKind::select, {test, values[0].id, values[1].id}), language_type);
    }
    const bool unrounded = b.computed_dtype(type) && compute && compute != type.elem();
    for (int side = 0; side < 2; ++side) {
        b.in_side(open, side, [&] {
            if (unrounded && !type.is(sema::Kind::vector)) {
                values[side] = Val::ssa(b.scalar(values[side], *compute), type.elem());
            } else {
                values[side] = b.coerce(values[side], type);
            }
        });
    }
    Val result = b.join(values[0], values[1], &type, open);
    b.close_if(open);
    if (result.is_ssa() && b.computed_dtype(type)) result.type = type.elem();
    return result;
}

Val truth_value(Body& b, const Val& value, const sema::Type& type) {
    using sema::Kind;
    if (value.has_elements() && !value.is_fixed()) {
        return Val::truth(value.element_count() > 0);
    }
    if (const auto known = static_truth(value)) return Val::truth(*known);
    const bool counted = type.is(Kind::list) || type.is(Kind::dict);
    if (!counted && !type.is(Kind::string)) return Val::ssa(b.truth(value), DType::boolean);
    const ValueId length = counted ? list_length(b, container(b, value, type))
                                   : host(b, "string_length", {b.handle(value, type)}, ir::Type::scalar(DType::index));
    return Val::ssa(b.emit.inferred(OpKind::ne, {length, b.emit.constant(int64_t{0}, DType::index)}), DType::boolean);
}

Val condition(Body& b, const ast::Expr& e) { return truth_value(b, expression(b, e), b.info(e).type); }

Val logical(Body& b, const ast::Expr& e, const ast::Logical& node) {
    const bool decisive = node.op == ast::BoolOp::logical_or;
    const sema::Type& type = b.info(e).type;
    const std::function<Val(size_t)> holds = [&](size_t k) -> Val {
        Val value = condition(b, *node.operands[k]);
        if (k + 1 == node.operands.size()) return value;
        return short_circuit(b, value, decisive, [&] { return holds(k + 1); });
    };
    if (type.is_bool()) return holds(0);
    // The operand that decides, as it is.
    const std::optional<DType> compute = b.info(e).compute;
    const std::function<Val(size_t)> from = [&](size_t k) -> Val {
        Val value = expression(b, *node.operands[k]);
        if (k + 1 == node.operands.size()) return value;
        const Val test = truth_value(b, value, b.info(*node.operands[k]).type);
        if (test.is_fixed()) return test.is_fixed_bool(decisive) ? value : from(k + 1);
        const auto decided = [&]() -> const Val& { return value; };
        const auto other = [&] { return from(k + 1); };
        return decisive ? chosen(b, test.id, type, compute, decided, other)
                        : chosen(b, test.id, type, compute, other, decided);
    };
    return from(0);
}

namespace {

// What a choice between literals gives, whose values may be known in unrolled rounds only.
DType literal_choice(Body& b, const Val& then, const Val& otherwise, const sema::Type& type) {
    if (type.is_float()) return DType::f32;
    return join(element_type_alone(b, then), element_type_alone(b, otherwise)).value_or(DType::i64);
}

}  // namespace

void unify(Body& b, Val& then, Val& otherwise, const sema::Type& type, std::optional<DType> compute) {
    const bool numbers = b.computed_dtype(type) || type.is_literal();
    if (!numbers) {
        then = b.coerce(then, type);
        otherwise = b.coerce(otherwise, type);
        return;
    }
    const DType wanted = type.is_literal() ? literal_choice(b, then, otherwise, type) : type.elem();
    const auto held = [&](const Val& value) { return value.is_ssa() ? b.type_of(value.id).elem : wanted; };
    // An expression that is not rounded yet stays so.
    const DType common = held(then) == wanted && held(otherwise) == wanted ? wanted : compute.value_or(wanted);
    for (Val* side : {&then, &otherwise}) {
        if (type.is(sema::Kind::tile)) {
            *side = Val::ssa(b.tile(*side, common, type.shape()), wanted);
        } else if (type.is(sema::Kind::vector)) {
            *side = Val::ssa(b.vector(*side, common, type.length().value_or(1)), wanted);
        } else {
            *side = Val::ssa(b.scalar(*side, common), wanted);
        }
    }
}

Val conditional(Body& b, const ast::Expr& e, const ast::Conditional& node) {
    const Val test = condition(b, *node.condition);
    if (test.is_fixed()) return expression(b, test.is_fixed_bool(true) ? *node.then : *node.otherwise);
    return chosen(
        b, test.id, b.info(e).type, b.info(e).compute, [&] { return expression(b, *node.then); },
        [&] { return expression(b, *node.otherwise); });
}

}  // namespace tsr::elaborate
