#include "sema/expressions/comprehensions.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "sema/expressions/conditions.h"
#include "sema/expressions/differing_items.h"
#include "sema/expressions/records.h"
#include "sema/state/recursion.h"
#include "sema/types/containers.h"
#include "sema/types/fold.h"
#include "sema/types/numeric.h"
#include "sema/values/items.h"
#include "sema/values/rounds.h"

namespace tsr::sema {

namespace {

std::optional<StaticRange> clause_range(const Body& b, const ForInfo& info) {
    if (info.kind != LoopKind::range || info.axes.size() != 1) return std::nullopt;
    return static_range(b, info.axes[0]);
}

// Whether nothing is known yet of what a clause goes through.
bool goes_through_unknown(const Body& b, const ast::Comprehension::Clause& clause) {
    const auto unknown = [&](const ast::Expr& e) { return b.instance.info(e).type.is_unknown(); };
    const auto call = b.instance.calls.find(clause.iterable->id);
    if (call == b.instance.calls.end() || call->second.builtin != Builtin::zip) return unknown(*clause.iterable);
    return std::ranges::any_of(call->second.rest,
                               [&](ast::ExprId id) { return unknown(*b.checker.program.expr(b.instance.module, id)); });
}

// Of `zip(…)` of lists whose lengths are known.
std::optional<int64_t> zipped_length(const Body& b, const CallInfo& zip) {
    std::optional<int64_t> least;
    for (const ast::ExprId id : zip.rest) {
        const ast::Expr* list = b.checker.program.expr(b.instance.module, id);
        const Type& type = b.instance.info(*list).type;
        if (!type.is(Kind::list) || !type.length()) return std::nullopt;
        least = least ? std::min(*least, *type.length()) : *type.length();
    }
    return least;
}

// A number that follows from lengths of lists, which are those that they were made with.
std::optional<int64_t> from_lengths(const Body& b, const ast::Expr& e) {
    const ExprInfo& info = b.instance.info(e);
    if (info.value) return info.value->integer();
    const auto call = b.instance.calls.find(e.id);
    if (call != b.instance.calls.end() && call->second.builtin == Builtin::len) {
        const ast::Expr* of = b.expr(call->second.arguments[0].expr);
        const bool list = of && b.instance.type(*of).is(Kind::list);
        return list ? b.instance.type(*of).length() : std::nullopt;
    }
    const auto* sum = std::get_if<ast::Binary>(&e.node);
    const auto lhs = sum ? from_lengths(b, *sum->lhs) : std::nullopt;
    const auto rhs = lhs ? from_lengths(b, *sum->rhs) : std::nullopt;
    if (!rhs) return std::nullopt;
    if (sum->op == ast::BinaryOp::add) return *lhs + *rhs;
    if (sum->op == ast::BinaryOp::sub) return *lhs - *rhs;
    return std::nullopt;
}

// `[… for i in range(len(sizes) - 1)]` on the host: a graph that takes the list compares its length when it runs.
std::optional<int64_t> assumed_length(const Body& b, const ForInfo& info) {
    if (!b.rules().host_objects || info.kind != LoopKind::range || info.axes.size() != 1) return std::nullopt;
    const LoopAxis& axis = info.axes[0];
    if (!axis.stop.expr.valid() || axis.step.expr.valid()) return std::nullopt;
    const auto start = axis.start.expr.valid() ? from_lengths(b, *b.expr(axis.start.expr)) : 0;
    const auto stop = from_lengths(b, *b.expr(axis.stop.expr));
    return start && stop ? std::optional(std::max<int64_t>(0, *stop - *start)) : std::nullopt;
}

// How many elements a clause of a comprehension gives, where that is static.
std::optional<int64_t> clause_length(const Body& b, const ast::Comprehension::Clause& clause, const ForInfo& info) {
    if (!clause.conditions.empty()) return std::nullopt;
    const ExprInfo& iterable = b.instance.info(*clause.iterable);
    const auto call = b.instance.calls.find(clause.iterable->id);
    const bool zips = call != b.instance.calls.end() && call->second.builtin == Builtin::zip;
    if (zips && b.rules().host_objects) return zipped_length(b, call->second);
    if (iterable.type.is(Kind::list)) return iterable.type.length();
    if (iterable.type.is(Kind::tuple)) return static_cast<int64_t>(iterable.type.parts().size());
    const auto rounds = clause_range(b, info);
    return rounds ? std::optional(rounds->length()) : assumed_length(b, info);
}

// What a clause goes through, where that is static and not too much.
std::optional<std::vector<Static>> clause_items(const Body& b, const ast::Comprehension::Clause& clause,
                                                const ForInfo& info) {
    constexpr int64_t kMostItems = 1 << 16;
    const ExprInfo& iterable = b.instance.info(*clause.iterable);
    if (iterable.value && iterable.value->tuple()) return *iterable.value->tuple();
    const auto rounds = clause_range(b, info);
    if (!rounds || rounds->length() < 0 || rounds->length() > kMostItems) return std::nullopt;
    std::vector<Static> items;
    for (int64_t i = 0; i < rounds->length(); ++i) items.push_back(Static::of(rounds->start + i * rounds->step));
    return items;
}

}  // namespace

// A name of its own, until `inner_names` is cut again.
void bind_inner_names(Body& b, const ast::Expr& target) {
    const std::string& text = std::get<ast::Name>(target.node).text;
    auto found = b.inner_slots.find(target.id);
    if (found == b.inner_slots.end()) {
        Slot& slot = b.add_slot(text, target.span);
        slot.bindings = 1;
        slot.own = target.id;
        found = b.inner_slots.emplace(target.id, slot.id).first;
    }
    b.inner_names.emplace_back(text, found->second);
}

// The names of a clause are known from it on.
static void comprehension_clause(Body& b, const ast::Comprehension::Clause& clause, ForInfo& info) {
    std::vector<const ast::Expr*> targets;
    target_names(*clause.target, targets);
    for (const ast::Expr* target : targets) bind_inner_names(b, *target);
    bool runs = false;
    iterate(b, *clause.iterable, *clause.target, info, runs, add_round_loop(b, info));
    for (const ast::Expr* condition : clause.conditions) {
        if (condition_value(b, *condition).rounds != 0) b.round_conditions.emplace_back(condition, true);
    }
}

std::optional<Value> item_literal(const Body& b, const Value& value, DType to) {
    if (!b.folds_items || !value.value || !value.type.is_literal()) return std::nullopt;
    Value result;
    if (to == DType::f32) {
        const auto number = value.value->real();
        if (!number) return std::nullopt;
        result.type = Type::float_literal();
        result.value = converted(Static::of(*number), to);
        return result;
    }
    const auto number = value.value->real();
    if (to != DType::i32 || !number || !(std::fabs(*number) < 2147483648.0)) return std::nullopt;
    result.type = Type::int_literal();
    result.value = Static::of(static_cast<int64_t>(*number));
    return result;
}

// False where the element is not known.
static bool add_constant_item(Body& b, const ast::Comprehension& c, const Static& item, std::vector<Static>& elements) {
    Slot* slot = b.find_slot(std::get<ast::Name>(c.clauses[0].target->node).text);
    if (!slot || !slot->once) return false;
    slot->once->value = item;
    // A number computed for each item is a literal.
    if (item.is_number()) slot->once->type = item.is_integer() ? Type::int_literal() : Type::float_literal();
    for (const ast::Expr* condition : c.clauses[0].conditions) {
        const Value holds = expression(b, *condition);
        const std::optional<bool> truth = holds.value ? holds.value->truth() : std::nullopt;
        if (!truth) return false;
        if (!*truth) return true;
    }
    const Value element = expression(b, *c.element);
    if (element.value) elements.push_back(*element.value);
    return element.value.has_value();
}

// The list of a module's constant: its element is folded once for each item.
static std::optional<Static> constant_list(Body& b, const ast::Comprehension& c, const ForInfo& info) {
    const ast::Comprehension::Clause& clause = c.clauses[0];
    const bool named = std::holds_alternative<ast::Name>(clause.target->node);
    if (c.generator || c.value || c.clauses.size() > 1 || !named) return std::nullopt;
    const auto items = clause_items(b, clause, info);
    if (!items) return std::nullopt;
    std::vector<Static> elements;
    const bool outer = std::exchange(b.folds_items, true);
    const bool all =
        std::ranges::all_of(*items, [&](const Static& item) { return add_constant_item(b, c, item, elements); });
    b.folds_items = outer;
    if (!all || (elements.empty() && !outer)) return std::nullopt;
    return Static::list(std::move(elements));
}

// The dictionary whose keys a comprehension gives again: `{k: e for k in params}`, `{k: e for k, v in params.items()}`.
static const Type* dict_of_keys(const Body& b, const ast::Comprehension& c) {
    const ast::Comprehension::Clause& clause = c.clauses[0];
    if (!c.value || c.clauses.size() != 1 || !clause.conditions.empty()) return nullptr;
    const ast::Expr* dict = dict_of_items(b, *clause.iterable);
    const ast::Expr* target = clause.target;
    const auto* pair = std::get_if<ast::Tuple>(&target->node);
    if (dict && (!pair || pair->elements.empty())) return nullptr;
    if (dict) target = pair->elements[0];
    const Type& type = b.instance.type(dict ? *dict : *clause.iterable);
    const auto* name = std::get_if<ast::Name>(&target->node);
    const auto* key = std::get_if<ast::Name>(&c.element->node);
    return type.is_keyed_dict() && name && key && name->text == key->text ? &type : nullptr;
}

Value comprehension(Body& b, const ast::Expr& e, const ast::Comprehension& c) {
    if (c.generator && !b.taken_generators.contains(e.id)) {
        auto& d = b.error("E0134", e.span, "a generator stands only where a function goes through it");
        d.note("`sum`, `min`, `max`, `any`, `all`, `sorted`, `list`, `enumerate`, `zip`, `map` and `.join()` do");
        const std::string text = b.source(e);
        const bool bare = !e.parenthesized;
        d.suggest(e.span, fmt::format("[{}]", bare ? text : text.substr(1, text.size() - 2)), "make it a list");
        return {};
    }
    if (!b.rules().in_group) {
        if (const ast::Expr* display = display_of_items(b, e, c)) return expression(b, *display);
    }
    if (!b.rules().host_objects && (c.clauses.size() > 1 || (c.value && b.rules().in_group))) {
        b.error("E0402", e.span, "a comprehension in a kernel makes a list and has one `for`");
        return {};
    }
    size_t outer_names = b.inner_names.size();
    const size_t outer_loops = b.round_loops.size();
    const size_t outer_conditions = b.round_conditions.size();
    Flow before = b.flow;
    const size_t allocated = b.state().allocations.size();
    std::vector<ForInfo> infos(c.clauses.size());
    for (size_t i = 0; i < c.clauses.size(); ++i) comprehension_clause(b, c.clauses[i], infos[i]);
    Value element = expression(b, *c.element);
    std::optional<Static> known;
    if (b.constant_only && !element.broken()) known = constant_list(b, c, infos[0]);
    Value of_key;
    if (c.value) of_key = expression(b, *c.value);
    b.inner_names.resize(outer_names);
    end_round_loops(b, outer_loops);
    b.round_conditions.resize(outer_conditions);
    b.flow.reachable = before.reachable;
    const std::optional<int64_t> length =
        c.clauses.size() == 1 ? clause_length(b, c.clauses[0], infos[0]) : std::nullopt;
    b.instance.comprehensions[e.id] = std::move(infos);
    if (element.broken() || (c.value && of_key.broken())) return {};
    // In a loop its length is that of what it makes itself: `params = [… for p, d in zip(params, g)]`.
    if (std::ranges::any_of(c.clauses, [&](const auto& clause) { return goes_through_unknown(b, clause); })) return {};
    const bool of_values = c.value != nullptr && is_item(element.type);  // keys are asked for more below
    if (const Value& held = of_values ? of_key : element; b.rules().host_objects && !is_item(held.type)) {
        b.error("E0208", (of_values ? *c.value : *c.element).span,
                fmt::format("a container does not hold {}", shown(held.type)));
        return {};
    }
    Value result;
    if (const Type* keys = dict_of_keys(b, c)) {
        const Type item = settled_type(of_key.type, of_key.value);
        const Type held = b.rules().host_objects ? as_item(item) : without_extents(item);
        result.type = Type::record_like(*keys, std::vector<Type>(keys->parts().size(), held), b.rules().host_objects);
        b.instance.comprehensions[e.id][0].must_unroll = true;
        return result;
    }
    if (c.value && !b.rules().host_objects) {
        b.error("E0601", e.span, "in a graph function a comprehension of a dictionary gives the keys of another again")
            .note("`{k: e for k, v in params.items()}`");
        return {};
    }
    if (b.rules().host_objects) {
        result.type = Type::list(settled_type(element.type, element.value), length);
        if (c.value) {
            if (!require_hashable(b, *c.element, element)) return {};
            result.type =
                Type::dict(settled_type(element.type, element.value), settled_type(of_key.type, of_key.value));
        }
        result.type = stored(result.type);
        result.value = std::move(known);
        return result;
    }
    if (!length) {
        b.error("E0314", c.clauses[0].iterable->span, "the number of elements of a list in a kernel must be static");
        return {};
    }
    b.instance.comprehensions[e.id][0].must_unroll = true;
    auto& allocations = b.state().allocations;
    for (size_t i = allocated; i < allocations.size(); ++i) allocations[i].second.second *= *length;
    result.type = Type::list(b.rules().new_values ? without_extents(element.type) : element.type, length);
    return result;
}

}  // namespace tsr::sema
