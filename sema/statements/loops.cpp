#include "sema/statements/loops.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sema/calls/arguments.h"
#include "sema/expressions/comprehensions.h"
#include "sema/expressions/conditions.h"
#include "sema/expressions/indexing.h"
#include "sema/expressions/records.h"
#include "sema/program/round_values.h"
#include "sema/state/entities.h"
#include "sema/state/recursion.h"
#include "sema/statements/loop_rounds.h"
#include "sema/statements/small_graphs.h"
#include "sema/types/containers.h"
#include "sema/types/elements.h"
#include "sema/values/items.h"
#include "sema/values/requirements.h"
#include "sema/values/rounds.h"

namespace tsr::sema {

namespace {

// The bounds that an argument gives: one, or one per element of a tuple.
std::vector<Bound> bounds(Body& b, const ast::Expr& e) {
    Value value = expression(b, e);
    if (const auto* tuple = std::get_if<ast::Tuple>(&e.node)) {
        std::vector<Bound> result;
        for (const ast::Expr* element : tuple->elements) {
            Value part;
            part.type = b.instance.type(*element);
            require_integer(b, *element, part, "a bound of a loop");
            result.push_back({element->id, -1});
        }
        return result;
    }
    if (value.type.is(Kind::tuple)) {
        std::vector<Bound> result;
        for (size_t i = 0; i < value.type.parts().size(); ++i) result.push_back({e.id, static_cast<int>(i)});
        return result;
    }
    require_integer(b, e, value, "a bound of a loop");
    return {{e.id, -1}};
}

// The unrollable loops around on whose rounds a bound depends, one bit each.
uint64_t rounds_of(const Body& b, const Bound& bound) { return b.instance.info(bound.expr).rounds; }

// The unrollable loops around on whose rounds the bounds of a loop depend; nothing where they are not static even then.
// The step is the same in every round.
std::optional<uint64_t> static_bounds(const Body& b, const ForInfo& info) {
    uint64_t rounds = 0;
    for (const LoopAxis& axis : info.axes) {
        for (const Bound& bound : {axis.start, axis.stop}) {
            if (static_bound(b, bound, 0)) continue;
            const uint64_t around = rounds_of(b, bound);
            if (around == 0) return std::nullopt;
            rounds |= around;
        }
        if (static_bound(b, axis.step, 1).value_or(0) == 0) return std::nullopt;
    }
    return rounds;
}

// Whether what is iterated has an item for certain. It was checked before.
bool has_items(const Body& b, const ast::Expr& e) {
    const ExprInfo& info = b.instance.info(e);
    const auto call = b.instance.calls.find(e.id);
    if (call != b.instance.calls.end() && call->second.kind == CallKind::builtin) {
        const auto& arguments = call->second.arguments;
        const auto some = [&](ast::ExprId part) { return part.valid() && has_items(b, *b.expr(part)); };
        const Builtin function = call->second.builtin;
        if (function == Builtin::enumerate || function == Builtin::reversed) return some(arguments[0].expr);
        if (function == Builtin::zip) return std::ranges::all_of(call->second.rest, some);
    }
    const bool counted = !b.rules().host_objects || std::holds_alternative<ast::List>(e.node);
    if (info.type.is(Kind::list)) return counted && info.type.length().value_or(0) > 0;
    if (info.type.is(Kind::tensor))
        return info.type.rank() > 0 && info.type.shape()[0].constant_value().value_or(0) > 0;
    if (info.type.is(Kind::string)) return info.value && info.value->string() && !info.value->string()->empty();
    return info.type.is(Kind::tuple);
}

}  // namespace

// `tile.range((1, H-1), (1, W-1))` on two axes: what is written like start and stop of each axis is read as the starts
// and the stops.
static void warn_of_transposed_bounds(Body& b, const ast::Expr& iterable, const Matched& m, const ForInfo& info) {
    const auto tuple = [](const ast::Expr* e) { return e ? std::get_if<ast::Tuple>(&e->node) : nullptr; };
    const ast::Tuple *starts = tuple(m.arguments[0]), *stops = tuple(m.arguments[1]);
    if (!starts || !stops || m.arguments[2] || info.axes.size() != 2) return;
    for (size_t axis = 0; axis < 2; ++axis) {
        const ast::Expr &start = *starts->elements[axis], &stop = *stops->elements[axis];
        const auto rounds = (affine_sum(b, stop) - affine_sum(b, start)).constant_value();
        if (!rounds || *rounds > 0) continue;
        b.warning("W0104", iterable.span,
                  fmt::format("axis {} of this loop goes from {} to {}: it has no rounds", axis, b.source(start),
                              b.source(stop)))
            .note("the first tuple has the starts of all axes, the second one their stops")
            .suggest(m.arguments[0]->span.to(m.arguments[1]->span),
                     fmt::format("({}, {}), ({}, {})", b.source(*starts->elements[0]), b.source(*stops->elements[0]),
                                 b.source(*starts->elements[1]), b.source(*stops->elements[1])),
                     "from the first to the second bound of each axis");
        return;
    }
}

// Where all items of what is iterated are static, at least in each round of the loops around: those loops. It was
// checked before.
static std::optional<uint64_t> static_items(const Body& b, const ast::Expr& e) {
    const ExprInfo& info = b.instance.info(e);
    if (!info.type.is(Kind::list) && !info.type.is(Kind::tuple)) return std::nullopt;
    if (info.value) return info.value->tuple() ? std::optional(uint64_t{0}) : std::nullopt;
    return info.by_round() ? info.rounds : rounds_of(b.checker.program, b.instance, e);
}

// `range(…)`, `tile.range(…)`, `progress(range(…), "label")`.
static void iterate_range(Body& b, const ast::Expr& iterable, const ast::Expr& target, ForInfo& info, bool& runs,
                          uint64_t rounds_bit) {
    const auto& call_node = std::get<ast::Call>(iterable.node);
    Value callee = expression(b, *call_node.callee);
    const BuiltinEntry& row = entry(callee.type.builtin_name());
    info.kind = row.id == Builtin::tile_range ? LoopKind::tile_range : LoopKind::range;
    std::vector<bool> has_default;
    for (const BuiltinParameter& p : row.parameters) has_default.push_back(p.optional);
    note_keywords(b, call_node, row);
    Matched m = match_arguments(b, call_node, call_node.callee->span, fmt::format("`{}`", dotted(*call_node.callee)),
                                row.parameters, has_default, 0);
    std::vector<const ast::Expr*> targets{&target};
    if (const auto* tuple = std::get_if<ast::Tuple>(&target.node)) targets = tuple->elements;
    std::vector<std::vector<Bound>> given(3);
    if (m.ok) {
        for (size_t i = 0; i < 3; ++i) {
            if (m.arguments[i]) given[i] = bounds(b, *m.arguments[i]);
        }
        // `range(n)`: the one bound is the stop.
        if (!m.arguments[1]) std::swap(given[0], given[1]);
        Value range;
        range.type = Type::range();
        b.record(iterable, range);
        CallInfo info_of_call;
        info_of_call.builtin = row.id;
        for (const ast::Expr* argument : m.arguments) info_of_call.arguments.push_back({id_of(argument), {}});
        b.record_call(iterable, std::move(info_of_call));
    } else {
        evaluate_arguments(b, call_node);
    }
    size_t axes = given[1].size();
    for (size_t i : {size_t{0}, size_t{2}}) {
        if (!m.ok || given[i].empty() || given[i].size() == axes) continue;
        b.error("E0330", iterable.span,
                fmt::format("the bounds of this loop have {} and {} axes", given[i].size(), axes));
        m.ok = false;
    }
    if (m.ok && axes != targets.size()) {
        b.error("E0318", target.span,
                fmt::format("{} name{} for {} ax{}", targets.size(), targets.size() == 1 ? "" : "s", axes,
                            axes == 1 ? "is" : "es"))
            .label(iterable.span, "iterated here");
        m.ok = false;
    }
    if (m.ok && m.arguments.size() > 3 && m.arguments[3]) {
        info.prefetch = m.arguments[3]->id;
        auto stages = static_integer(b, *m.arguments[3], "`prefetch`");
        if (stages && *stages < 1)
            b.error("E0412", m.arguments[3]->span, fmt::format("`prefetch` is at least 1, not {}", *stages));
    }
    runs = m.ok;
    for (size_t axis = 0; m.ok && axis < axes; ++axis) {
        LoopAxis a;
        a.stop = given[1][axis];
        if (!given[0].empty()) a.start = given[0][axis];
        if (!given[2].empty()) a.step = given[2][axis];
        auto start = static_bound(b, a.start, 0), stop = static_bound(b, a.stop, 0), step = static_bound(b, a.step, 1);
        if (step && *step == 0) b.error("E0334", b.expr(a.step.expr)->span, "the step of a loop is zero");
        runs = runs && start && stop && step && (*step > 0 ? *start < *stop : *start > *stop);
        info.axes.push_back(a);
    }
    if (m.ok) warn_of_transposed_bounds(b, iterable, m, info);
    const bool unrollable = m.ok && info.kind == LoopKind::range && rounds_bit != 0;
    const auto around = unrollable ? static_bounds(b, info) : std::nullopt;
    for (size_t i = 0; i < targets.size(); ++i) {
        Value index;
        index.type = m.ok ? Type::index() : Type::unknown();
        if (around) index.rounds = rounds_bit | *around;
        assign_to(b, *targets[i], index, iterable);
        if (i >= info.axes.size()) continue;
        if (const auto* variable = std::get_if<VariableId>(&b.instance.info(*targets[i]).referent))
            info.axes[i].variable = *variable;
    }
}

void iterate(Body& b, const ast::Expr& iterable, const ast::Expr& target, ForInfo& info, bool& runs,
             uint64_t rounds_bit) {
    const auto* call_node = std::get_if<ast::Call>(&iterable.node);
    const auto* method = call_node ? std::get_if<ast::Attribute>(&call_node->callee->node) : nullptr;
    const Kind of = method ? expression(b, *method->base).type.kind() : Kind::name_space;
    if (call_node && (of == Kind::name_space || of == Kind::module || of == Kind::builtin)) {
        Value callee = expression(b, *call_node->callee);
        if (callee.type.is(Kind::builtin)) {
            Builtin called = callee.type.builtin_name();
            if (called == Builtin::range || called == Builtin::tile_range)
                return iterate_range(b, iterable, target, info, runs, rounds_bit);
            if (called == Builtin::progress && !call_node->arguments.empty()) {
                const BuiltinEntry& row = entry(called);
                note_keywords(b, *call_node, row);
                Matched m = match_arguments(b, *call_node, call_node->callee->span, "`progress`", row.parameters,
                                            {false, true, true}, 0);
                if (!m.ok) {
                    evaluate_arguments(b, *call_node);
                    return;
                }
                if (m.arguments[1]) {
                    Value label = expression(b, *m.arguments[1]);
                    if (!label.broken() && !label.type.is(Kind::string))
                        b.error("E0302", m.arguments[1]->span,
                                fmt::format("the label is a string, this is {}", shown(label.type)));
                }
                if (m.arguments[2]) {
                    const Value loss = expression(b, *m.arguments[2]);
                    const bool number = loss.type.is_number() && !is_complex(loss.type);
                    if (!loss.broken() && !number)
                        b.error("E0302", m.arguments[2]->span,
                                fmt::format("the loss is a number, this is {}", shown(loss.type)));
                }
                iterate(b, *m.arguments[0], target, info, runs, 0);
                info.loss = id_of(m.arguments[2]);
                info.label = id_of(m.arguments[1]);
                info.kind = info.kind == LoopKind::range ? LoopKind::progress_range : LoopKind::progress_list;
                Value range;
                range.type = Type::range();
                b.record(iterable, range);
                return;
            }
        }
    }
    const Value given = expression(b, iterable);
    const ast::Expr* keys = given.type.is_keyed_dict() ? &keys_of(b, iterable, given.type) : nullptr;
    const Value value = keys ? expression(b, *keys) : given;
    Value element;
    info.elements = keys ? keys->id : iterable.id;
    info.target = target.id;
    info.kind = value.type.is(Kind::tuple) ? LoopKind::tuple : LoopKind::list;
    runs = has_items(b, keys ? *keys : iterable);
    if (auto item = items_of(b, iterable, value)) {
        // Of a name it is said where it is assigned.
        if (item->is_unknown() && !std::holds_alternative<ast::Name>(iterable.node)) require_known(b, iterable, value);
        element.type = *item;
        const bool bound = b.rules().host_objects && !value.type.is(Kind::tuple);
        const bool entries = dict_of_items(b, iterable) != nullptr;
        if (bound || entries || has_unknown_extents(*item)) element = item_for(b, *item, target);
        if (const auto around = static_items(b, keys ? *keys : iterable); around && rounds_bit != 0)
            set_rounds(element, rounds_bit | *around);
        if (entries && !element.elements.empty()) element.rounds = element.elements[0].rounds = rounds_bit;
    }
    assign_to(b, target, element, iterable);
    std::vector<const ast::Expr*> targets;
    target_names(target, targets);
    for (const ast::Expr* name : targets) {
        const auto* variable = std::get_if<VariableId>(&b.instance.info(*name).referent);
        info.targets.push_back(variable ? *variable : VariableId{});
    }
}

// What a loop's rounds assign may be any of it where a round begins.
static void forget_own(Body& b, const ast::Block& block) {
    std::map<std::string, int, std::less<>> bound;
    count_bindings(block, bound);
    for (const auto& [name, count] : bound) {
        const Slot* slot = b.find_slot(name);
        if (!slot) continue;
        b.mark_own(*slot, false);
        b.mark_length(*slot, Flow::kAnyLength);
    }
    forget_lengths(b, block);
}

void for_loop(Body& b, const ast::Stmt& stmt, const ast::For& f) {
    const size_t names = b.inner_names.size();
    if (const ast::Stmt* rounds = loop_rounds(b, stmt, f)) {
        ForInfo unrolled;
        unrolled.rounds = rounds->id;
        b.instance.loops[stmt.id] = unrolled;
        block(b, {rounds});
        b.inner_names.resize(names);
        return;
    }
    forget_own(b, f.body);
    Flow before = b.flow;
    ForInfo& stored = b.instance.loops[stmt.id];
    ForInfo info;
    bool runs = false;
    const size_t outer_names = b.inner_names.size();
    const size_t outer_loops = b.round_loops.size();
    const size_t outer_conditions = b.round_conditions.size();
    const uint64_t bit = add_round_loop(b, stored);
    std::vector<const ast::Expr*> targets;
    target_names(*f.target, targets);
    for (const ast::Expr* target : targets) {
        if (b.loop_names.contains(std::get<ast::Name>(target->node).text)) bind_inner_names(b, *target);
    }
    iterate(b, *f.iterable, *f.target, info, runs, bit);
    const auto around = info.kind == LoopKind::range ? static_bounds(b, info) : std::nullopt;
    info.runs = runs;
    info.must_unroll = stored.must_unroll || info.kind == LoopKind::tuple;
    if (b.rules().new_values) {
        info.must_unroll = info.must_unroll || info.kind != LoopKind::range;
        info.may_unroll = around.has_value();
        if (info.elements.valid() && b.instance.type(*f.iterable).is(Kind::tensor))
            b.refuse(Feature::graphs, f.iterable->span, "in a graph function a loop over the elements of a tensor is");
    }
    stored = info;
    std::map<std::string, int, std::less<>> bound_inside;
    count_bindings(f.body, bound_inside);
    std::vector<Slot*> indices;
    for (const LoopAxis& axis : info.axes) {
        if (!axis.variable.valid() || bound_inside.contains(b.slots[axis.variable.index].name)) continue;
        indices.push_back(&b.slots[axis.variable.index]);
        indices.back()->rounds = around && bit != 0 ? bit | *around : 0;
    }
    const ast::Expr* elements = info.elements.valid() && bit != 0 ? b.expr(info.elements) : nullptr;
    const bool keyed = elements && dict_of_items(b, *elements);  // the first name is that of the key
    std::optional<uint64_t> items;
    if (elements && !keyed) items = static_items(b, *elements);
    const uint64_t item_rounds = bit | items.value_or(0);
    for (const VariableId target : info.targets) {
        if (keyed && target != info.targets[0]) continue;
        if ((!items && !keyed) || !target.valid() || bound_inside.contains(b.slots[target.index].name)) continue;
        indices.push_back(&b.slots[target.index]);
        indices.back()->rounds = item_rounds;
    }
    b.loops.push_back({&stmt, {}, {}});
    block(b, f.body);
    b.inner_names.resize(outer_names);
    for (Slot* index : indices) index->rounds = 0;
    end_round_loops(b, outer_loops);
    b.round_conditions.resize(outer_conditions);
    // A loop that is known to run leaves what every way through its body assigned.
    Flow after = before;
    if (runs) {
        after = b.flow;
        for (const Flow& out : b.loops.back().continues) after = meet(after, out);
    }
    const std::vector<Flow> breaks = std::move(b.loops.back().breaks);
    b.loops.pop_back();
    warn_of_small_graphs(b, f.header.valid() ? f.header : stmt.span, f.body);
    if (!f.otherwise.empty()) {
        b.flow = after;
        b.flow.reachable = before.reachable;
        block(b, f.otherwise);
        for (const Flow& out : breaks) b.flow = meet(b.flow, out);
        return;
    }
    for (const Flow& out : breaks) after = meet(after, out);
    b.flow = after;
    b.flow.reachable = before.reachable;
}

void while_loop(Body& b, const ast::Stmt& stmt, const ast::While& w) {
    forget_own(b, w.body);
    const Value condition = condition_value(b, *w.condition);
    const bool forever = condition.value && condition.value->boolean() == true;
    Flow before = b.flow;
    b.loops.push_back({&stmt, {}, {}});
    block(b, w.body);
    std::vector<Flow> outs = std::move(b.loops.back().breaks);
    b.loops.pop_back();
    warn_of_small_graphs(b, w.header.valid() ? w.header : stmt.span, w.body);
    if (!forever) {
        b.flow = before;
        block(b, w.otherwise);
        for (const Flow& out : outs) b.flow = meet(b.flow, out);
        return;
    }
    b.flow.reachable = false;
    block(b, w.otherwise);  // which is never reached
    if (outs.empty()) {
        b.flow.reachable = false;
        return;
    }
    b.flow = outs[0];
    for (const Flow& out : outs) b.flow = meet(b.flow, out);
}

}  // namespace tsr::sema
