#include "sema/program/round_values.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/builtins/elementwise.h"

namespace tsr::sema {

namespace {

using Operands = std::vector<const ast::Expr*>;

// Longer sequences are not made to be gone through while compiling.
constexpr int64_t kMostItems = 4096;

bool selects(Builtin function) {
    switch (function) {
        case Builtin::cast:
        case Builtin::int_:
        case Builtin::float_:
        case Builtin::len:
        case Builtin::where:
        case Builtin::enumerate:
        case Builtin::zip:
        case Builtin::reversed:
        case Builtin::range:
            return true;
        default:
            return false;
    }
}

bool computes(Builtin function) {
    return function == Builtin::min || function == Builtin::max || function == Builtin::clip ||
           elementwise_operation(function).has_value();
}

bool is_float_type(const Type& type) { return type.is_scalar() && is_float(type.elem()); }

// What the value of an expression is computed from. Floats of a type are computed by the operations of the IR only, so
// that no value depends on whether a loop is unrolled; negation, conversion and choice give the same by themselves.
struct OperandsOf {
    const Program& program;
    const Instance& instance;
    const ast::Expr& e;

    template <class Node>
    std::optional<Operands> operator()(const Node&) const {
        return std::nullopt;
    }
    std::optional<Operands> operator()(const ast::Unary& node) const { return Operands{node.operand}; }
    std::optional<Operands> operator()(const ast::Binary& node) const { return computed({node.lhs, node.rhs}); }
    std::optional<Operands> operator()(const ast::Compare& node) const {
        Operands all{node.first};
        for (const ast::Compare::Link& link : node.links) all.push_back(link.rhs);
        return computed(std::move(all));
    }
    std::optional<Operands> operator()(const ast::Logical& node) const { return node.operands; }
    std::optional<Operands> operator()(const ast::Conditional& node) const {
        return Operands{node.condition, node.then, node.otherwise};
    }
    std::optional<Operands> operator()(const ast::Tuple& node) const { return node.elements; }
    std::optional<Operands> operator()(const ast::List& node) const { return node.elements; }
    std::optional<Operands> operator()(const ast::Subscript& node) const {
        const Type& base = instance.type(*node.base);
        if (node.indices.size() != 1 || (!base.is(Kind::tuple) && !base.is(Kind::list))) return std::nullopt;
        return Operands{node.base, node.indices[0]};
    }
    std::optional<Operands> operator()(const ast::Call&) const {
        const auto found = instance.calls.find(e.id);
        if (found == instance.calls.end()) return std::nullopt;
        const CallInfo& call = found->second;
        Operands given;
        for (const ast::ExprId argument : call.rest) given.push_back(program.expr(instance.module, argument));
        for (const PassedArgument& argument : call.arguments) {
            if (argument.expr.valid()) given.push_back(program.expr(instance.module, argument.expr));
        }
        if (given.empty()) return std::nullopt;
        if (call.kind == CallKind::conversion) return Operands{given[0]};
        if (call.kind != CallKind::builtin) return std::nullopt;
        if (call.builtin == Builtin::cast) return Operands{given[0]};
        if (selects(call.builtin)) return given;
        return computes(call.builtin) ? computed(std::move(given)) : std::nullopt;
    }

    [[nodiscard]] std::optional<Operands> computed(Operands operands) const {
        const auto typed = [&](const ast::Expr* operand) { return is_float_type(instance.type(*operand)); };
        if (is_float_type(instance.type(e)) || std::ranges::any_of(operands, typed)) return std::nullopt;
        return operands;
    }
};

std::optional<Operands> operands_of(const Program& program, const Instance& instance, const ast::Expr& e) {
    return std::visit(OperandsOf{program, instance, e}, e.node);
}

Folded folded_from(std::optional<Static> value) { return {std::move(value), ""}; }

// `k in (1, 3)`; nothing of strings.
std::optional<bool> contains(const Static& item, const Static& container) {
    const auto* parts = container.tuple();
    if (!parts) return std::nullopt;
    return std::ranges::any_of(*parts,
                               [&](const Static& part) { return fold(ast::CompareOp::eq, item, part) == true; });
}

Folded sequence_item(const Static& sequence, const Static& index, bool from_end) {
    const auto* parts = sequence.tuple();
    const auto at = index.integer();
    if (!parts || !at) return {};
    const auto count = static_cast<int64_t>(parts->size());
    const int64_t position = from_end && *at < 0 ? *at + count : *at;
    if (position < 0 || position >= count)
        return {std::nullopt, fmt::format("index {} is outside: there are {} elements", *at, count)};
    return folded_from((*parts)[static_cast<size_t>(position)]);
}

std::optional<Static> range_items(const std::vector<Static>& bounds) {
    std::vector<int64_t> numbers;
    for (const Static& bound : bounds) numbers.push_back(bound.integer().value_or(INT64_MAX));
    const int64_t start = numbers.size() > 1 ? numbers[0] : 0;
    const int64_t stop = numbers.size() > 1 ? numbers[1] : numbers[0];
    const int64_t step = numbers.size() > 2 ? numbers[2] : 1;
    constexpr int64_t kFar = int64_t{1} << 32;
    for (const int64_t number : {start, stop, step}) {
        if (number > kFar || number < -kFar) return std::nullopt;
    }
    if (step == 0 || (stop - start) / step > kMostItems) return std::nullopt;
    std::vector<Static> items;
    for (int64_t i = start; step > 0 ? i < stop : i > stop; i += step) items.push_back(Static::of(i));
    return Static::list(std::move(items));
}

std::optional<Static> zipped(const std::vector<Static>& sequences) {
    size_t count = SIZE_MAX;
    for (const Static& one : sequences) {
        if (!one.tuple()) return std::nullopt;
        count = std::min(count, one.tuple()->size());
    }
    std::vector<Static> items;
    for (size_t i = 0; i < count; ++i) {
        std::vector<Static> parts;
        for (const Static& one : sequences) parts.push_back((*one.tuple())[i]);
        items.push_back(Static::of(std::move(parts)));
    }
    return Static::list(std::move(items));
}

std::optional<Static> enumerated(const std::vector<Static>& given) {
    const auto* parts = given[0].tuple();
    const auto first = given.size() > 1 ? given[1].integer() : 0;
    if (!parts || !first) return std::nullopt;
    std::vector<Static> items;
    for (const Static& part : *parts)
        items.push_back(Static::of(std::vector{Static::of(*first + static_cast<int64_t>(items.size())), part}));
    return Static::list(std::move(items));
}

// `1 if c else 2.5` is 1.0 or 2.5.
Static of_choice(const Static& value, const Type& type) {
    const bool real = value.is_number() && type.is(Kind::float_literal);
    return real ? Static::of(value.real().value_or(0)) : held(value, type);
}

std::optional<Static> extreme(Builtin function, const std::vector<Static>& values) {
    const auto* items = values.size() == 1 ? values[0].tuple() : nullptr;
    return fold(function, items ? *items : values);
}

Folded of_function(Builtin function, const std::vector<Static>& values, const Type& type) {
    const Static& first = values[0];
    const auto* parts = first.tuple();
    switch (function) {
        case Builtin::cast:
        case Builtin::int_:
        case Builtin::float_:
            if (!type.is_scalar() || first.string()) return {};
            return folded_from(cast_to(first, type.elem()));
        case Builtin::len:
            return parts ? folded_from(Static::of(static_cast<int64_t>(parts->size()))) : Folded{};
        case Builtin::where: {
            const auto holds = first.truth();
            return holds ? folded_from(of_choice(values[*holds ? 1 : 2], type)) : Folded{};
        }
        case Builtin::range:
            return folded_from(range_items(values));
        case Builtin::zip:
            return folded_from(zipped(values));
        case Builtin::enumerate:
            return folded_from(enumerated(values));
        case Builtin::reversed:
            return parts ? folded_from(Static::list({parts->rbegin(), parts->rend()})) : Folded{};
        case Builtin::min:
        case Builtin::max:
            return folded_from(extreme(function, values));
        default:
            return folded_from(fold(function, values));
    }
}

// From the values of the operands, all of which are known.
struct Combine {
    const Instance& instance;
    const ast::Expr& e;
    const std::vector<Static>& values;

    template <class Node>
    Folded operator()(const Node&) const {
        return {};
    }
    Folded operator()(const ast::Unary& node) const {
        if (node.op != ast::UnaryOp::logical_not) return fold(node.op, values[0]);
        const auto holds = values[0].truth();
        return holds ? folded_from(Static::of(!*holds)) : Folded{};
    }
    Folded operator()(const ast::Binary& node) const { return fold(node.op, values[0], values[1]); }
    Folded operator()(const ast::Compare& node) const {
        for (size_t i = 0; i < node.links.size(); ++i) {
            const ast::CompareOp op = node.links[i].op;
            const bool asks_in = op == ast::CompareOp::in || op == ast::CompareOp::not_in;
            auto holds = asks_in ? contains(values[i], values[i + 1]) : fold(op, values[i], values[i + 1]);
            if (!holds) return {};
            if (op == ast::CompareOp::not_in) holds = !*holds;
            if (!*holds) return folded_from(Static::of(false));
        }
        return folded_from(Static::of(true));
    }
    Folded operator()(const ast::Tuple&) const { return folded_from(Static::of(values)); }
    Folded operator()(const ast::List&) const { return folded_from(Static::list(values)); }
    Folded operator()(const ast::Subscript&) const {
        return sequence_item(values[0], values[1], rules_of(instance.context).counts_from_end);
    }
    Folded operator()(const ast::Call&) const {
        const CallInfo& call = instance.calls.at(e.id);
        const Builtin function = call.kind == CallKind::conversion ? Builtin::cast : call.builtin;
        return of_function(function, values, instance.type(e));
    }
};

// Only what decides is evaluated.
Folded logical_value(const RoundScope& scope, const ast::Expr& e, const ast::Logical& node) {
    const bool decisive = node.op == ast::BoolOp::logical_or;
    Folded last;
    for (const ast::Expr* operand : node.operands) {
        last = value_in_round(scope, *operand);
        const auto holds = last.value ? last.value->truth() : std::nullopt;
        if (!holds) return {std::nullopt, last.fault};
        if (scope.instance.type(e).is_bool()) last.value = Static::of(*holds);
        if (*holds == decisive) break;
    }
    return last;
}

}  // namespace

Static held(const Static& value, const Type& type) {
    const bool number = type.is_scalar() && !type.is_bool() && value.is_number();
    return number ? converted(value, type.elem()) : value;
}

std::optional<uint64_t> rounds_of(const Program& program, const Instance& instance, const ast::Expr& e) {
    const auto operands = operands_of(program, instance, e);
    if (!operands) return std::nullopt;
    uint64_t rounds = 0;
    for (const ast::Expr* operand : *operands) {
        const ExprInfo& info = instance.info(*operand);
        if (info.value) continue;
        rounds |= info.rounds;
        if (info.rounds != 0) continue;
        // `enumerate(SIZES)` is static, though it has no value of its own.
        const bool call = std::holds_alternative<ast::Call>(operand->node);
        if (!call || !rounds_of(program, instance, *operand)) return std::nullopt;
    }
    return rounds;
}

Folded value_in_round(const RoundScope& scope, const ast::Expr& e) {
    const ExprInfo& info = scope.instance.info(e);
    if (info.value) return folded_from(info.value);
    if (std::holds_alternative<ast::Name>(e.node)) {
        const auto* variable = std::get_if<VariableId>(&info.referent);
        return variable ? scope.variable(*variable) : Folded{};
    }
    if (const auto* logical = std::get_if<ast::Logical>(&e.node)) return logical_value(scope, e, *logical);
    if (const auto* chosen = std::get_if<ast::Conditional>(&e.node)) {
        const Folded condition = value_in_round(scope, *chosen->condition);
        const auto holds = condition.value ? condition.value->truth() : std::nullopt;
        if (!holds) return {std::nullopt, condition.fault};
        Folded value = value_in_round(scope, *holds ? *chosen->then : *chosen->otherwise);
        return value.value ? folded_from(of_choice(*value.value, info.type)) : value;
    }
    const auto operands = operands_of(scope.program, scope.instance, e);
    if (!operands) return {};
    std::vector<Static> values;
    for (const ast::Expr* operand : *operands) {
        Folded value = value_in_round(scope, *operand);
        if (!value.value) return value;
        values.push_back(std::move(*value.value));
    }
    Folded result = std::visit(Combine{scope.instance, e, values}, e.node);
    if (result.value) result.value = held(*result.value, info.type);
    return result;
}

}  // namespace tsr::sema
