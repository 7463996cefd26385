#include "sema/expressions/conditions.h"

#include <fmt/format.h>

#include "sema/expressions/operators.h"
#include "sema/state/recursion.h"
#include "sema/types/elements.h"
#include "sema/types/numeric.h"
#include "sema/types/truth.h"
#include "sema/values/dimensions.h"
#include "sema/values/rounds.h"

namespace tsr::sema {

static Value truth_value(Body& b, const ast::Expr& e, const Value& value) {
    Value result;
    if (value.broken()) return result;
    result.type = Type::boolean();
    const Type& type = value.type;
    const bool counted = type.is(Kind::list) || type.is(Kind::tuple) || type.is(Kind::dict) || type.is(Kind::string);
    if (!type.is_bool() && (!type.is_number() || is_complex(type)) && !counted) {
        auto& d = b.error("E0307", e.span, fmt::format("{} is neither true nor false", shown(type)));
        if (type.is(Kind::tile) && has_bools(type))
            d.note(
                "`&`, `|`, `~` and `where` work on each element; `tile.reduce(t, axis, \"any\")` asks for one of them");
        if (type.is(Kind::tensor) && type.rank() > 0) d.note("ask its elements, or its length: `len(x) > 0`");
    }
    result.rounds = value.rounds;
    if (const auto known = known_truth(type, value.value, b.rules().host_objects)) result.value = Static::of(*known);
    return result;
}

Value condition_value(Body& b, const ast::Expr& e) {
    const auto* parts = std::get_if<ast::Logical>(&e.node);
    const bool fresh = parts && !b.found(e);
    return truth_value(b, e, fresh ? b.record(e, logical(b, e, *parts, true)) : expression(b, e));
}

namespace {

// The type of what `and` and `or` give, of operands that are not all truth values: it is one of them.
std::optional<Type> operands_type(const std::vector<Value>& values) {
    Value joined = values.front();  // there are two or more
    for (size_t i = 1; i < values.size(); ++i) {
        const auto type = join_elements(joined, values[i]);
        if (!type) return std::nullopt;
        joined.type = *type;
        if (!type->is_literal()) joined.value.reset();
    }
    return joined.type;
}

}  // namespace

Value logical(Body& b, const ast::Expr& e, const ast::Logical& l, bool asked) {
    const bool is_and = l.op == ast::BoolOp::logical_and;
    bool known = true, given = is_and;  // of the operands so far: whether all are static, and what they give
    std::vector<Value> values;
    const size_t conditions = b.round_conditions.size();
    bool broken = false, truths = true;
    std::optional<Value> decisive;  // where all operands up to it are static: what is given
    for (const ast::Expr* operand : l.operands) {
        Value value = asked ? condition_value(b, *operand) : expression(b, *operand);
        const Value holds = asked ? value : truth_value(b, *operand, value);
        broken |= holds.broken();
        truths &= value.type.is_bool();
        const std::optional<bool> truth = holds.value ? holds.value->boolean() : std::nullopt;
        known &= truth.has_value();
        if (known && given == is_and) decisive = value;
        if (known) given = is_and ? given && *truth : given || *truth;
        if (holds.rounds != 0) b.round_conditions.emplace_back(operand, is_and);  // else the others are not evaluated
        values.push_back(std::move(value));
        if (known && b.decides(holds) == !is_and) break;  // the others are not evaluated
    }
    b.round_conditions.resize(conditions);
    Value result;
    result.type = Type::boolean();
    if (truths || broken) {
        if (known) result.value = Static::of(given);
        return result;
    }
    if (known && decisive && decisive->is_static()) return *decisive;
    if (const auto type = operands_type(values)) {
        result.type = *type;
        result.compute = number_choice(*type);
        return result;
    }
    auto& d = b.error(
        "E0301", e.span,
        fmt::format("`{}` gives one of its operands, and their types have no common one", is_and ? "and" : "or"));
    for (size_t i = 0; i < values.size(); ++i) d.label(l.operands[i]->span, shown(values[i].type));
    d.note("`bool(x)` asks only whether a value holds");
    return {};
}

// Of two tensors that differ in extents alone: with symbols for those, as a variable has that is assigned either.
static std::optional<Type> with_open_extents(Body& b, const ast::Expr& e, const Type& then, const Type& otherwise) {
    const bool tensors = then.is(Kind::tensor) && otherwise.is(Kind::tensor) && then.rank() == otherwise.rank();
    if (!tensors || b.rules().in_group || then.tensor().shape == otherwise.tensor().shape) return std::nullopt;
    auto joined = join(then.with_shape(otherwise.tensor().shape), otherwise);
    if (!joined) return std::nullopt;
    std::vector<ir::Dim> shape = joined->tensor().shape;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        if (!(shape[axis] == then.tensor().shape[axis])) shape[axis] = fresh_symbol(b, "extent", e, axis);
    }
    return joined->with_shape(std::move(shape));
}

Value conditional(Body& b, const ast::Expr& e, const ast::Conditional& c) {
    const Value condition = condition_value(b, *c.condition);
    if (const auto known = b.decides(condition)) return expression(b, *known ? *c.then : *c.otherwise);
    const auto side = [&](const ast::Expr& chosen, bool holds) {
        const size_t conditions = b.round_conditions.size();
        if (condition.rounds != 0) b.round_conditions.emplace_back(c.condition, holds);
        Value value = expression(b, chosen);
        b.round_conditions.resize(conditions);
        return value;
    };
    Value then = side(*c.then, true), otherwise = side(*c.otherwise, false);
    if (condition.value && condition.value->boolean()) {
        const Value& chosen = *condition.value->boolean() ? then : otherwise;
        if (chosen.is_static()) return chosen;
    }
    if (then.broken() || otherwise.broken()) return {};
    const auto shaped = [](const Value& v) { return v.type.is(Kind::tile) || v.type.is(Kind::tensor); };
    const bool whole = shaped(then) || shaped(otherwise);  // nothing is repeated
    if (std::optional<Type> open = with_open_extents(b, e, then.type, otherwise.type)) {
        Value result;
        result.type = std::move(*open);
        return result;
    }
    auto joined = whole ? join(then.type, otherwise.type) : join_elements(then, otherwise);
    if (!joined) {
        const bool shapes = whole && join(element_type(then.type), element_type(otherwise.type));
        const char* reason = shapes ? "their shapes differ" : "neither widens exactly to the other";
        auto& d =
            b.error(shapes ? "E0312" : "E0301", e.span,
                    fmt::format("the two results are {} and {}: {}", shown(then.type), shown(otherwise.type), reason));
        d.label(c.then->span, shown(then.type)).label(c.otherwise->span, shown(otherwise.type));
        if (!shapes) offer_joining_cast(b, d, *c.then, then.type, *c.otherwise, otherwise.type);
        return {};
    }
    Value result;
    result.type = *joined;
    result.compute = number_choice(*joined);
    if (then.dim && otherwise.dim && *then.dim == *otherwise.dim) result.dim = then.dim;
    return result;
}

}  // namespace tsr::sema
