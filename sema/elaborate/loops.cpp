#include "sema/elaborate/loops.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/elaborate/assignments.h"
#include "sema/elaborate/carried.h"
#include "sema/elaborate/choices.h"
#include "sema/elaborate/effects.h"
#include "sema/elaborate/host.h"
#include "sema/elaborate/local_arrays.h"
#include "sema/elaborate/ranges.h"
#include "sema/elaborate/recursion.h"
#include "sema/elaborate/sequences.h"
#include "sema/elaborate/static_values.h"
#include "sema/elaborate/written_values.h"
#include "sema/types/truth.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::OpKind;
using ir::ValueId;
using sema::ForInfo;

namespace {

// Whether a variable that a loop assigns is read in the text behind the loop.
bool is_read_behind(const Body& b, Slot slot, Span range) {
    for (const Frame& frame : b.frames) {
        if (slot.frame != frame.number || slot.variable >= frame.instance->variables.size()) continue;
        return frame.instance->variables[slot.variable].last_read >= range.end;
    }
    return false;
}

// Variables that were first assigned in the loop are read behind it only where it is known to run.
void forget_new(Body& b, const Env& before, const LoopEffects& effects, const std::set<Slot>& kept) {
    for (const Slot slot : effects.assigned) {
        if (!before.contains(slot) && !kept.contains(slot)) b.env.erase(slot);
    }
}

struct LoopScope {
    Body& b;
    LoopFlags flags;
    explicit LoopScope(Body& b) : b(b), flags{b.fresh_slot(), b.fresh_slot()} {
        b.set(flags.loop_live, Val::truth(true));
    }
    void round(const Round& body) {
        b.frame().loops.push_back(flags);
        b.set(flags.round_live, Val::truth(true));
        body();
        b.frame().loops.pop_back();
        b.env.erase(flags.round_live);
    }
    ~LoopScope() { b.env.erase(flags.loop_live); }
};

void counted_loop(Body& b, const std::vector<Bounds>& axes, size_t axis, ir::Attrs attrs, Carried& carried,
                  const Round& body) {
    const Bounds& bounds = axes[axis];
    std::vector<ValueId> operands{b.index(bounds.start), b.index(bounds.stop), b.index(bounds.step)};
    const std::vector<ValueId> initial = carried.initial();
    operands.insert(operands.end(), initial.begin(), initial.end());
    const ir::OpId op = b.emit.op(OpKind::for_, std::move(operands), attrs);
    const ir::RegionId region = b.function().add_region(op);
    {
        const Inside inside(b.emit, region);
        const ValueId iv = b.function().add_arg(region, ir::Type::scalar(DType::index));
        carried.enter(region);
        bounds.bind(Val::ssa(iv, DType::index));
        if (axis + 1 < axes.size()) {
            attrs.erase(Attr::prefetch);
            attrs.set(Attr::axis, static_cast<int64_t>(axis) + 1);  // one range with the loop around it
            counted_loop(b, axes, axis + 1, std::move(attrs), carried, body);
        } else {
            body();
        }
        b.emit.yield(carried.leaves());
    }
    carried.hold(b.function().op(op).results);
}

// A `for` that may be left early: the number of the round is carried beside the flag.
void left_loop(Body& b, const Bounds& bounds, Slot loop_live, Span left_at, ir::Attrs attrs, Carried& carried,
               const Round& body) {
    const ir::Type index = ir::Type::scalar(DType::index);
    std::vector<ValueId> operands{b.index(bounds.start)};
    const std::vector<ValueId> initial = carried.initial();
    operands.insert(operands.end(), initial.begin(), initial.end());
    std::vector<ir::Type> types{index};
    types.insert(types.end(), carried.types().begin(), carried.types().end());
    const ir::OpId op = b.emit.op(OpKind::while_, std::move(operands), std::move(attrs));
    const ir::RegionId test = b.function().add_region(op);
    const ir::RegionId rounds = b.function().add_region(op);
    {
        const Inside inside(b.emit, test);
        const ValueId at = b.function().add_arg(test, index);
        carried.enter(test);
        b.emit.yield({b.emit.inferred(OpKind::bit_and, {b.truth(b.get(loop_live)), goes_on(b, at, bounds)})});
    }
    {
        const Inside inside(b.emit, rounds);
        const ValueId at = b.function().add_arg(rounds, index);
        carried.enter(rounds);
        b.set(loop_live, Val::truth(true));  // the test has seen it
        bounds.bind(Val::ssa(at, DType::index));
        body();
        std::vector<ValueId> next{b.emit.inferred(OpKind::add, {at, b.index(bounds.step)})};
        const std::vector<ValueId> values = carried.leaves();
        next.insert(next.end(), values.begin(), values.end());
        const At left(b.emit, left_at);
        b.emit.yield(std::move(next));
    }
    const std::vector<ValueId>& results = b.function().op(op).results;
    carried.hold({results.begin() + 1, results.end()});
}

ir::Attrs attributes(Body& b, const ForInfo& info) {
    ir::Attrs attrs;
    const bool tiles = info.kind == sema::LoopKind::tile_range;
    attrs.set(Attr::loop, static_cast<int64_t>(tiles ? ir::LoopKind::tile_range : ir::LoopKind::in_order));
    if (const ast::Expr* prefetch = b.expr(info.prefetch)) {
        if (const auto rounds = fixed(expression(b, *prefetch))) attrs.set(Attr::prefetch, *rounds);
    }
    return attrs;
}

// Static rounds one after the other; after a `break` that is not static the rest stand under its flag.
void unrolled(Body& b, LoopScope& scope, std::vector<Round> settings, const Round& body) {
    const int64_t around = b.rounds_around;
    b.rounds_around = std::max<int64_t>(around, 1) * std::max<int64_t>(static_cast<int64_t>(settings.size()), 1);
    const std::function<void(size_t)> from = [&](size_t k) {
        for (; k < settings.size(); ++k) {
            const Val live = b.get(scope.flags.loop_live);
            if (live.is_fixed_bool(false)) return;
            if (!live.is_fixed()) return b.guarded(scope.flags.loop_live, [&] { from(k); });
            settings[k]();
            scope.round(body);
        }
    };
    from(0);
    b.rounds_around = around;
}

// The loop in the IR, once bounds are known: with what it carries, and a flag where it may be left. `keeps`: what it
// assigns first may be read behind it.
void emitted_loop(Body& b, LoopScope& scope, Span range, const std::vector<Bounds>& axes, LoopEffects effects,
                  const ir::Attrs& attrs, bool keeps, const Round& each) {
    const Env before = b.env;
    std::set<Slot> kept;
    for (const Slot slot : effects.assigned) {
        if (keeps && is_read_behind(b, slot, range)) kept.insert(slot);
    }
    Carried carried(b, effects, scope.flags, kept);
    carried.add_symbols(range);
    const Round round = [&] { scope.round(each); };
    if (!effects.leaves && !effects.returns && !axes[0].stop_now) {
        counted_loop(b, axes, 0, attrs, carried, round);
    } else {
        const std::function<void(size_t)> nest = [&](size_t axis) {
            ir::Attrs own;  // a `range` is in order anyway
            const bool spread = attrs.integer(Attr::loop, 0) == static_cast<int64_t>(ir::LoopKind::tile_range);
            if (spread) own = attrs;
            if (spread && axis > 0) own.set(Attr::axis, static_cast<int64_t>(axis));
            left_loop(b, axes[axis], scope.flags.loop_live, effects.left_at, std::move(own), carried, [&] {
                if (axis + 1 < axes.size()) return nest(axis + 1);
                round();
            });
        };
        nest(0);
    }
    forget_new(b, before, effects, kept);
    forget_locals(b, before);
}

// Iterations of a graph's loops, nested ones multiplied, up to which each becomes a part of the graph: fusions then
// reach over several. A loop with more stays one, so that the code does not grow with its length.
constexpr int64_t kMostParts = 32;

// What a loop goes through: where it stands in the text, its rounds, what they do beside assigning to its targets.
struct Loop {
    LoopScope& scope;
    Span range;
    const ForInfo& info;
    LoopEffects effects;
    Round each;
    bool has_else = false;  // what each `break` and the `else` assign is read behind the loop
};

void range_loop(Body& b, const Loop& loop) {
    const ForInfo& info = loop.info;
    const std::vector<Bounds> axes = bounds_of(b, info);
    const bool fixed_axes = all_fixed(axes);
    const bool few = info.may_unroll && fixed_axes && fixed_rounds(axes) <= kMostParts / b.rounds_around;
    if (fixed_axes && (info.must_unroll || few)) {
        if (may_unroll(b, b.emit.span(), axes)) unrolled(b, loop.scope, static_rounds(b, axes), loop.each);
        return;
    }
    LoopEffects effects = loop.effects;
    for (const Bounds& one : axes) {
        if (one.variable.valid()) effects.assigned.insert(b.slot(one.variable));
    }
    const bool keeps = info.runs || loop.has_else;
    emitted_loop(b, loop.scope, loop.range, axes, std::move(effects), attributes(b, info), keeps, loop.each);
}

std::vector<Round> element_rounds(Body& b, const ForInfo& info, const Val& elements) {
    std::vector<Round> rounds;
    for (size_t i = 0; i < elements.element_count(); ++i) {
        rounds.push_back([&b, &info, element = elements.element(i)] { bind_target(b, *b.expr(info.target), element); });
    }
    return rounds;
}

void sequence_loop(Body& b, const Loop& loop, const Sequence& items) {
    const ForInfo& info = loop.info;
    LoopEffects effects = loop.effects;
    for (const sema::VariableId target : info.targets) {
        if (target.valid()) effects.assigned.insert(b.slot(target));
    }
    Bounds bounds{Val::index(0), items.length, Val::index(1), {}, {}};
    bounds.bind = [&](const Val& iv) { bind_target(b, *b.expr(info.target), items.at(iv)); };
    bounds.stop_now = items.length_now;
    const bool keeps = info.runs || loop.has_else;
    emitted_loop(b, loop.scope, loop.range, {bounds}, std::move(effects), attributes(b, info), keeps, loop.each);
}

void element_loop(Body& b, const Loop& loop, const Val& elements) {
    if (elements.has_elements()) return unrolled(b, loop.scope, element_rounds(b, loop.info, elements), loop.each);
    if (!elements.is_ssa()) return;
    sequence_loop(b, loop, sequence_of(b, elements, b.info(loop.info.elements).type));
}

// Where the rounds stand: what follows the loop, its `else` too, is read behind them.
Span rounds_range(const ast::Stmt& stmt, Span header, const ast::Block& body) {
    if (!header.valid()) return stmt.span;
    return body.empty() ? header : header.to(body.back()->span);
}

// The items of a list that a static value in the loop depends on: each round is given its own.
std::optional<Val> static_items(Body& b, const ForInfo& info) {
    if (!info.must_unroll || info.kind != sema::LoopKind::list) return std::nullopt;
    auto items = static_in_round(b, *b.expr(info.elements));
    return items && items->tuple() ? std::optional(Val::of(std::move(*items))) : std::nullopt;
}

void list_loop(Body& b, const Loop& loop) {
    const ast::Expr& elements = *b.expr(loop.info.elements);
    if (const auto items = static_items(b, loop.info)) {
        const auto count = static_cast<int64_t>(items->element_count());
        if (may_unroll(b, b.emit.span(), count)) element_loop(b, loop, *items);
        return;
    }
    if (is_sequence(b, elements)) return sequence_loop(b, loop, sequence_of(b, elements));
    element_loop(b, loop, expression(b, elements));
}

// A line on the terminal counts the rounds.
void progress_loop(Body& b, const Loop& loop) {
    const ForInfo& info = loop.info;
    const ast::Expr* written = b.expr(info.label);
    const Val label = written ? expression(b, *written) : Val::of(sema::Static::of(std::string()));
    ValueId line;
    Loop counted = loop;
    // The round is counted when it ends, however it ends.
    counted.each = [&] {
        loop.each();
        if (const ast::Expr* loss = b.expr(info.loss)) progress_loss(b, line, expression(b, *loss));
        progress_step(b, line);
    };
    if (info.kind == sema::LoopKind::progress_range) {
        line = progress_begin(b, label, round_count(b, bounds_of(b, info)));
        range_loop(b, counted);
    } else {
        const Sequence items = sequence_of(b, *b.expr(info.elements));
        line = progress_begin(b, label, items.length);
        sequence_loop(b, counted, items);
    }
    progress_end(b, line);
}

void run_loop(Body& b, const Loop& loop) {
    switch (loop.info.kind) {
        case sema::LoopKind::range:
        case sema::LoopKind::tile_range:
            return range_loop(b, loop);
        case sema::LoopKind::list:
        case sema::LoopKind::tuple:
            return list_loop(b, loop);
        case sema::LoopKind::progress_range:
        case sema::LoopKind::progress_list:
            return progress_loop(b, loop);
    }
}

// `else` of a loop: where no `break` left it.
void run_else(Body& b, const LoopScope& scope, const ast::Block& otherwise) {
    if (otherwise.empty()) return;
    b.guarded(scope.flags.loop_live, [&] { block(b, otherwise); });
}

}  // namespace

void for_statement(Body& b, const ast::Stmt& stmt, const ast::For& loop) {
    const auto found = b.instance().loops.find(stmt.id);
    if (found == b.instance().loops.end()) return;
    if (found->second.rounds.valid()) return block(b, {b.program.made.find(found->second.rounds)});
    LoopScope scope(b);
    {
        const At at(b.emit, loop.header.valid() ? loop.header : stmt.span);
        run_loop(b, {scope, rounds_range(stmt, loop.header, loop.body), found->second, effects_of(b, loop.body),
                     [&] { block(b, loop.body); }, !loop.otherwise.empty()});
    }
    run_else(b, scope, loop.otherwise);
}

void while_statement(Body& b, const ast::While& loop) {
    const sema::ExprInfo& condition_info = b.info(*loop.condition);
    const auto known = sema::known_truth(condition_info.type, condition_info.value, b.rules().host_objects);
    if (known == false) return block(b, loop.otherwise);
    const bool forever = known == true;
    LoopEffects effects = effects_of(b, loop.body);
    LoopEffects of_condition;
    add_given_locals(b, loop.condition->span, of_condition);
    add_written_values(b, loop.condition->span, of_condition);
    const bool writes = !of_condition.assigned.empty();
    const Slot again = b.fresh_slot();
    const Env before = b.env;
    LoopScope scope(b);
    if (writes) {
        effects.assigned.merge(of_condition.assigned);
        effects.assigned.insert(again);
        b.set(again, Val::truth(true));
    }
    const bool keeps = forever || !loop.otherwise.empty();
    Carried carried(b, effects, scope.flags, keeps ? effects.assigned : std::set<Slot>());
    carried.add_symbols(loop.header.to(loop.body.empty() ? loop.header : loop.body.back()->span));
    const ir::OpId op = b.emit.op(OpKind::while_, carried.initial());
    const ir::RegionId test = b.function().add_region(op);
    const ir::RegionId rounds = b.function().add_region(op);
    const bool flagged = effects.leaves || effects.returns;
    {
        const Inside inside(b.emit, test);
        carried.enter(test);
        const Val live = flagged ? b.get(scope.flags.loop_live) : Val::truth(true);
        b.emit.yield({b.truth(both(b, live, [&] { return writes ? b.get(again) : condition(b, *loop.condition); }))});
    }
    {
        const Inside inside(b.emit, rounds);
        carried.enter(rounds);
        b.set(scope.flags.loop_live, Val::truth(true));  // the test has seen it
        // A condition that writes arrays of each tile stands in the round: the test can not change what is carried.
        if (writes) b.set(again, Val::ssa(b.truth(condition(b, *loop.condition)), DType::boolean));
        scope.round([&] { writes ? b.guarded(again, [&] { block(b, loop.body); }) : block(b, loop.body); });
        b.emit.yield(carried.leaves());
    }
    carried.hold(b.function().op(op).results);
    b.env.erase(again);
    if (!keeps) forget_new(b, before, effects, {});
    forget_locals(b, before);
    if (!forever) run_else(b, scope, loop.otherwise);
}

void for_each_round(Body& b, const ast::Expr& e, const ForInfo& info, LoopEffects effects, const RoundBody& body) {
    LoopScope scope(b);
    const Loop loop{scope, e.span, info, std::move(effects), [&] { body(b.frame().loops.back()); }};
    const bool range = info.kind == sema::LoopKind::range || info.kind == sema::LoopKind::tile_range;
    if (range) return range_loop(b, loop);
    if (!info.elements.valid()) return;
    const bool unrolls = info.must_unroll && info.kind == sema::LoopKind::tuple;
    if (b.rules().host_objects && !unrolls && !static_items(b, info))
        return sequence_loop(b, loop, sequence_of(b, *b.expr(info.elements)));
    list_loop(b, loop);
}

void for_each_position(Body& b, Span range, const Val& count, LoopEffects effects,
                       const std::function<void(const Val&)>& body) {
    Val position;
    Bounds bounds{Val::index(0), count, Val::index(1), {}, {}};
    bounds.bind = [&](const Val& iv) { position = iv; };
    LoopScope scope(b);
    emitted_loop(b, scope, range, {bounds}, std::move(effects), {}, false, [&] { body(position); });
}

}  // namespace tsr::elaborate
