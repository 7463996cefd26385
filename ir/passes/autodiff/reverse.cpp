#include "ir/passes/autodiff/reverse.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/build/dim_code.h"
#include "ir/ops/bound_dim.h"
#include "ir/ops/control.h"
#include "ir/ops/graph.h"
#include "ir/passes/autodiff/partials.h"
#include "ir/passes/autodiff/rules.h"
#include "ir/passes/autodiff/structured.h"
#include "ir/passes/autodiff/types.h"

namespace tsr::ir::autodiff {

using math::Term;

void Reverse::add(Builder& at, ValueId to, const Cotangent& more) {
    if (!active_.has(to)) return;
    const auto [known, fresh] = cotangents_.emplace(to, more);
    if (fresh) return;
    Cotangent one = known->second, other = more;
    if (one.scale != other.scale) one = unscaled(at, one), other = unscaled(at, other);
    known->second = {at.add(one.value, other.value), one.chosen || other.chosen, one.scale};
}

// The number in each element of what has the type.
static ValueId in_each(Builder& at, ValueId number, const Type& type) {
    return type.kind == TypeKind::tensor ? at.value(OpKind::full, {number}, {{Attr::shape, type.shape}}) : number;
}

Cotangent Reverse::unscaled(Builder& at, const Cotangent& g) {
    if (!g.scale) return g;
    const Type type = at.function().type(g.value);
    return {at.div(g.value, in_each(at, *g.scale, type)), g.chosen, std::nullopt};
}

std::optional<Cotangent> Reverse::read(Builder& at, ValueId value) {
    const auto found = cotangents_.find(value);
    if (found == cotangents_.end()) return std::nullopt;
    return found->second = unscaled(at, found->second);
}

// `@loss_scale`: the sum of what came here, times the scale, in the type of a gradient.
void Reverse::stored(Builder& at, OpId id) {
    const CustomCallOp call(fn_, id);
    const ValueId value = call.value(), scale = call.scale();
    const Cotangent g = *read(at, call.results()[0]);
    const Type wide = fn_.type(g.value);
    const ValueId scaled = at.mul(g.value, in_each(at, scale, wide));
    const ValueId kept = at.cast(scaled, gradient_type(fn_.type(value)).elem);
    add(at, value, {at.cast(kept, wide.elem), g.chosen, scale});
}

std::optional<Cotangent> Reverse::of(ValueId value) const {
    const auto found = cotangents_.find(value);
    return found == cotangents_.end() ? std::nullopt : std::optional(found->second);
}

bool Reverse::walk(Builder& at, const std::vector<OpId>& ops) {
    for (size_t i = ops.size(); i-- > 0;) {
        if (!pass(at, ops[i])) return false;
    }
    return true;
}

bool Reverse::pass(Builder& at, OpId id) {
    const Op op = fn_.op(id);
    bool reached = false;
    for (const ValueId result : op.results) reached = reached || of(result);
    if (!reached) return true;
    at.take_place(id);
    if (op.kind == OpKind::if_) return branch(at, id);
    if (op.kind == OpKind::for_) return loop(at, id);
    if (CustomCallOp::is_stored(op)) {
        stored(at, id);
        return true;
    }
    if (CustomCallOp::is_one(op)) return called(at, id);
    if (!has_derivative(fn_, id, said_)) return false;
    if (op.kind == OpKind::launch) return called(at, id);
    const bool as_stored = !is_element(op.kind) || op.kind == OpKind::cast;
    const Cotangent g = as_stored ? *of(op.results[0]) : *read(at, op.results[0]);
    for (size_t i = 0; i < op.operands.size(); ++i) {
        if (!active_.has(op.operands[i])) continue;
        if (is_element(op.kind)) {
            element(at, id, i, g);
        } else {
            add(at, op.operands[i], {structured_rule(op.kind).adjoint(at, id, i, g.value), g.chosen, g.scale});
        }
    }
    return true;
}

void Reverse::element(Builder& at, OpId id, size_t operand, const Cotangent& g) {
    const PartialRule& rule = partial_rule(fn_.op(id).kind);
    const ValueId to = fn_.op(id).operands[operand];
    const Term seed{&at, g.value};
    auto passed = rule.along({at, id}, operand, seed);
    if (!passed) return;
    // Only where 0 meets what is infinite: elsewhere this is linear in the seed, for derivatives of it.
    if (rule.singular && g.chosen) passed = select((seed == 0.0) & (*passed != *passed), 0.0, *passed);
    add(at, to, {at.cast(passed->id, derivative_type(fn_.type(to)).elem), g.chosen || rule.chooses, g.scale});
}

// By the rule that the call names, or of the kernel that is launched.
bool Reverse::called(Builder& at, OpId id) {
    const Op op = fn_.op(id);
    std::vector<std::optional<ValueId>> given;
    std::vector<bool> wanted;
    std::vector<Cotangent> all;
    for (const ValueId result : op.results) {
        if (const auto g = of(result)) all.push_back(*g);
    }
    // Rules are linear: they are given what is stored where all of it is multiplied by one number.
    const std::optional<ValueId> scale = all[0].scale;
    const bool as_stored = std::ranges::all_of(all, [&](const Cotangent& g) { return g.scale == scale; });
    for (const ValueId result : op.results) {
        const auto g = as_stored ? of(result) : read(at, result);
        given.push_back(g ? std::optional(g->value) : std::nullopt);
    }
    for (const ValueId operand : op.operands) wanted.push_back(active_.has(operand));
    const auto shares = op.kind == OpKind::launch ? launch_adjoint(at, id, given, wanted)
                                                  : call_adjoint(at, id, given, wanted, functions_);
    if (!shares) return false;
    for (size_t i = 0; i < op.operands.size(); ++i) {
        if (wanted[i] && (*shares)[i]) add(at, op.operands[i], {*(*shares)[i], true, as_stored ? scale : std::nullopt});
    }
    return true;
}

// What the copy of a region gives `wanted`, from the cotangents of what it yields; zeros where nothing comes. Nothing
// after a message.
std::optional<Values> Reverse::through(Builder& at, RegionId region, const ValueMap& arguments,
                                       const std::vector<std::optional<Cotangent>>& yields, const Values& wanted) {
    auto around = std::exchange(cotangents_, {});
    const CopiedRegion copy = copied(at, region, arguments, active_);
    for (size_t i = 0; i < yields.size(); ++i) {
        if (yields[i]) add(at, copy.yields[i], *yields[i]);
    }
    const bool ok = walk(at, copy.ops);
    Values given;
    for (const ValueId value : wanted) {
        const auto found = arguments.find(value);
        const auto g = read(at, found == arguments.end() ? value : found->second);
        given.push_back(g ? g->value : zeros_of(at, derivative_type(fn_.type(value))));
    }
    cotangents_ = std::move(around);
    return ok ? std::optional(std::move(given)) : std::nullopt;
}

// An `if` on the same condition; each side computes again what it needs of the side that was run.
bool Reverse::branch(Builder& at, OpId id) {
    std::vector<std::optional<Cotangent>> given;
    for (const ValueId result : fn_.op(id).results) given.push_back(read(at, result));
    const Values outside = outside_values(fn_, id, active_);
    // What a side yields without computing it is used there, too.
    bool ok = true;
    const auto side = [&](RegionId region) {
        return [&, region](Builder& in) {
            auto made = through(in, region, {}, given, outside);
            ok = ok && made;
            if (made) return *made;
            Values zeros;
            for (const ValueId value : outside) zeros.push_back(zeros_of(in, derivative_type(fn_.type(value))));
            return zeros;
        };
    };
    const IfOp branch(fn_, id);
    const OpId made = at.if_(branch.condition(), side(branch.then()), side(branch.otherwise()));
    const Values results = fn_.op(made).results;
    for (size_t i = 0; ok && i < outside.size(); ++i) add(at, outside[i], {results[i], true});
    return ok;
}

// How often a loop runs, as an extent and as a number.
struct Reverse::Rounds {
    Dim extent;
    ValueId number;
};

// The extent is a formula of the function's dimensions, or a symbol that has its value from before the loop on.
Reverse::Rounds Reverse::rounds_of(OpId id) {
    const ForOp loop(fn_, id);
    Builder at = Builder::at(fn_, id);
    const auto lower = dimension_of(fn_, loop.lower()), upper = dimension_of(fn_, loop.upper());
    const auto step = dimension_of(fn_, loop.step());
    if (lower && upper && step && step->constant_value().value_or(0) > 0) {
        const Dim span = Dim::maximum(*upper - *lower, Dim()) + *step - Dim::constant(1);
        const Dim extent = Dim::floor_quotient(span, *step);
        return {extent, at.dim(extent)};
    }
    const ValueId from = at.cast(loop.lower(), DType::index), to = at.cast(loop.upper(), DType::index);
    const ValueId by = at.cast(loop.step(), DType::index), zero = at.index(0), one = at.index(1);
    const ValueId size = at.element(OpKind::abs, {by});
    const ValueId span = at.maximum(at.select(at.gt(by, zero), at.sub(to, from), at.sub(from, to)), zero);
    const ValueId steps = at.floordiv(at.add(span, at.sub(size, one)), at.maximum(size, one));
    const ValueId number = at.select(at.eq(by, zero), zero, steps);  // a loop without a step has no round
    const Dim extent = make_symbol(fn_, "rounds");
    return {extent, at.value(OpKind::dim, {number}, {{Attr::dim, extent}})};
}

// A loop that also gives what it carried into each round.
struct Reverse::KeptLoop {
    OpId op;
    std::vector<std::pair<size_t, Stack>> stacks;  // of which carried value
    Values kept;
};

// In place of the loop: the same, and a stack of what is carried into each round.
Reverse::KeptLoop Reverse::keep(OpId id, const Rounds& rounds) {
    const Op old = fn_.op(id);
    const ForOp loop(fn_, id);
    const Values carried(loop.carried().begin(), loop.carried().end());
    const ValueId iv = loop.iv(), lower = loop.lower(), step = loop.step();
    const RegionId body = loop.body();
    Builder before = Builder::at(fn_, id);
    KeptLoop made;
    Values initial(loop.inits().begin(), loop.inits().end());
    for (size_t i = 0; i < carried.size(); ++i) {
        made.stacks.emplace_back(i, Stack(before, fn_.type(carried[i]), rounds.extent));
        initial.push_back(made.stacks.back().second.empty());
    }
    made.op =
        before.for_(lower, loop.upper(), step, initial, old.attrs, [&](Builder& in, ValueId round, const Values& now) {
            ValueMap values{{iv, round}};
            for (size_t i = 0; i < carried.size(); ++i) values[carried[i]] = now[i];
            const ValueId number = in.floordiv(in.sub(round, lower), step);
            Values stacks;
            for (size_t i = 0; i < carried.size(); ++i)
                stacks.push_back(made.stacks[i].second.put(in, now[carried.size() + i], number, now[i]));
            Values next = copied(in, body, values, active_).yields;
            next.insert(next.end(), stacks.begin(), stacks.end());
            return next;
        });
    const Values results = fn_.op(made.op).results;
    for (size_t i = 0; i < old.results.size(); ++i) {
        fn_.replace_uses(old.results[i], results[i]);
        active_.take_over(results[i], old.results[i]);
    }
    made.kept.assign(results.begin() + static_cast<std::ptrdiff_t>(carried.size()), results.end());
    return made;
}

// The rounds from the last to the first. Each computes again what the round computed, from what it was given.
bool Reverse::loop(Builder& at, OpId id) {
    const ForOp loop(fn_, id);
    const Values results(loop.results().begin(), loop.results().end());
    const Values inits(loop.inits().begin(), loop.inits().end());
    const Values carried(loop.carried().begin(), loop.carried().end());
    const Values outside = outside_values(fn_, id, active_);
    const ValueId iv = loop.iv(), first = loop.lower(), by = loop.step();
    const RegionId body = loop.body();
    const Rounds rounds = rounds_of(id);
    std::vector<size_t> moving;  // of what is carried
    Values wanted, start;
    for (size_t i = 0; i < carried.size(); ++i) {
        if (!active_.has(carried[i])) continue;
        moving.push_back(i);
        wanted.push_back(carried[i]);
        const auto g = read(at, results[i]);
        start.push_back(g ? g->value : zeros_of(at, derivative_type(fn_.type(carried[i]))));
    }
    for (const ValueId value : outside) {
        wanted.push_back(value);
        start.push_back(zeros_of(at, derivative_type(fn_.type(value))));
    }
    const KeptLoop kept = keep(id, rounds);
    bool ok = true;
    const OpId made = at.for_(at.index(0), rounds.number, at.index(1), start, fn_.op(id).attrs,
                              [&](Builder& in, ValueId turn, const Values& now) {
                                  const ValueId number = in.sub(in.sub(rounds.number, in.index(1)), turn);
                                  ValueMap values{{iv, in.add(first, in.mul(number, by))}};
                                  for (const auto& [i, stack] : kept.stacks)
                                      values[carried[i]] = stack.get(in, kept.kept[i], number);
                                  std::vector<std::optional<Cotangent>> yields(carried.size());
                                  for (size_t i = 0; i < moving.size(); ++i)
                                      yields[moving[i]] = Cotangent{now[i], true};
                                  auto given = through(in, body, values, yields, wanted);
                                  ok = ok && given;
                                  if (!given) return now;
                                  for (size_t i = moving.size(); i < wanted.size(); ++i)
                                      (*given)[i] = in.add(now[i], (*given)[i]);
                                  return *given;
                              });
    fn_.remove(id);
    const Values back = fn_.op(made).results;
    for (size_t i = 0; ok && i < moving.size(); ++i) add(at, inits[moving[i]], {back[i], true});
    for (size_t i = 0; ok && i < outside.size(); ++i) add(at, outside[i], {back[moving.size() + i], true});
    return ok;
}

}  // namespace tsr::ir::autodiff
