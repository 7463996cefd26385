#include "ir/passes/autodiff/forward.h"

#include <algorithm>

#include "ir/ops/control.h"
#include "ir/ops/graph.h"
#include "ir/passes/autodiff/partials.h"
#include "ir/passes/autodiff/rules.h"
#include "ir/passes/autodiff/structured.h"
#include "ir/passes/autodiff/types.h"

namespace tsr::ir::autodiff {

std::optional<ValueId> Forward::of(ValueId value) const {
    const auto found = tangents_.find(value);
    return found == tangents_.end() ? std::nullopt : std::optional(found->second);
}

bool Forward::walk(const std::vector<OpId>& ops) {
    for (const OpId id : ops) {
        if (!pass(id)) return false;
    }
    return ok_;
}

bool Forward::pass(OpId id) {
    const Op op = fn_.op(id);
    if (std::ranges::none_of(op.results, [&](ValueId v) { return active_.has(v); })) return true;
    if (op.kind == OpKind::if_) return branch(id);
    if (op.kind == OpKind::for_ || op.kind == OpKind::while_) return loop(id);
    if (CustomCallOp::is_one(op)) return called(id);
    std::vector<std::optional<ValueId>> given;
    for (const ValueId operand : op.operands) given.push_back(of(operand));
    if (std::ranges::none_of(given, [](const auto& tangent) { return tangent.has_value(); })) return true;
    if (!has_derivative(fn_, id, said_)) return false;
    if (op.kind == OpKind::launch) return called(id);
    Builder at(fn_);
    at.after(id);
    at.take_place(id);
    const auto tangent = is_element(op.kind) ? element(at, id, given) : structured_rule(op.kind).tangent(at, id, given);
    if (tangent) set(op.results[0], *tangent);
    return true;
}

// By the rule that the call names, or of the kernel that is launched.
bool Forward::called(OpId id) {
    const Op op = fn_.op(id);
    Tangents given;
    for (const ValueId operand : op.operands) given.push_back(of(operand));
    if (CustomCallOp::is_stored(op)) {  // that is a matter of cotangents
        if (given[0]) set(op.results[0], *given[0]);
        return true;
    }
    Builder at(fn_);
    at.after(id);
    at.take_place(id);
    const auto moved =
        op.kind == OpKind::launch ? launch_tangents(at, id, given) : call_tangents(at, id, given, functions_);
    if (!moved) return false;
    for (size_t i = 0; i < op.results.size(); ++i) {
        if ((*moved)[i]) set(op.results[i], *(*moved)[i]);
    }
    return true;
}

std::optional<ValueId> Forward::element(Builder& at, OpId id, const std::vector<std::optional<ValueId>>& given) {
    const DType type = derivative_type(fn_.type(fn_.op(id).results[0])).elem;
    std::optional<ValueId> sum;
    for (size_t i = 0; i < given.size(); ++i) {
        if (!given[i]) continue;
        const math::Term seed{&at, at.cast(*given[i], type)};
        const auto passed = partial_rule(fn_.op(id).kind).along({at, id}, i, seed);
        if (passed) sum = sum ? at.add(*sum, passed->id) : passed->id;
    }
    return sum;
}

ValueId Forward::moved(Builder& at, ValueId value) {
    const auto tangent = of(value);
    return tangent ? *tangent : zeros_of(at, derivative_type(fn_.type(value)));
}

Values Forward::through(Builder& at, RegionId region, const ValueMap& arguments, const std::vector<size_t>& moving) {
    CopiedRegion copy = copied(at, region, arguments, active_);
    ok_ = walk(copy.ops) && ok_;
    at.to_end_of(at.region());
    // What is yielded may have become another value, before the region had its end.
    for (ValueId& value : copy.yields) {
        for (auto by = replaced_.find(value); by != replaced_.end(); by = replaced_.find(value)) value = by->second;
    }
    const Values yields = copy.yields;
    for (const size_t i : moving) copy.yields.push_back(moved(at, yields[i]));
    return copy.yields;
}

void Forward::replace(OpId id, OpId by, const std::vector<size_t>& moving) {
    const Values old = fn_.op(id).results, made = fn_.op(by).results;
    for (size_t i = 0; i < old.size(); ++i) {
        fn_.replace_uses(old[i], made[i]);
        replaced_[old[i]] = made[i];
        active_.take_over(made[i], old[i]);
    }
    for (size_t i = 0; i < moving.size(); ++i) set(made[moving[i]], made[old.size() + i]);
    fn_.remove(id);
}

bool Forward::branch(OpId id) {
    const IfOp branch(fn_, id);
    std::vector<size_t> moving;
    for (size_t i = 0; i < branch.results().size(); ++i) {
        if (active_.has(branch.results()[i])) moving.push_back(i);
    }
    const RegionId then = branch.then(), otherwise = branch.otherwise();
    Builder at = Builder::at(fn_, id);
    const OpId made = at.if_(
        branch.condition(), [&](Builder& in) { return through(in, then, {}, moving); },
        [&](Builder& in) { return through(in, otherwise, {}, moving); });
    replace(id, made, moving);
    return ok_;
}

bool Forward::loop(OpId id) {
    const Op op = fn_.op(id);
    const bool counted = op.kind == OpKind::for_;
    const auto spanned = [](ValueSpan values) { return Values(values.begin(), values.end()); };
    const Values carried = spanned(counted ? ForOp(fn_, id).carried() : WhileOp(fn_, id).carried());
    const Values inits = spanned(counted ? ForOp(fn_, id).inits() : WhileOp(fn_, id).inits());
    const RegionId body = op.regions.back();
    std::vector<size_t> moving;
    Builder at = Builder::at(fn_, id);
    Values initial = inits;
    for (size_t i = 0; i < carried.size(); ++i) {
        if (!active_.has(carried[i])) continue;
        moving.push_back(i);
        initial.push_back(moved(at, inits[i]));
    }
    const auto arguments = [&](const Values& names, const Values& now) {
        ValueMap values;
        for (size_t i = 0; i < names.size(); ++i) values[names[i]] = now[i];
        return values;
    };
    const auto round = [&](Builder& in, const ValueMap& values, const Values& now) {
        for (size_t i = 0; i < moving.size(); ++i) set(now[moving[i]], now[carried.size() + i]);
        return through(in, body, values, moving);
    };
    OpId made;
    if (counted) {
        const ForOp loop(fn_, id);
        const ValueId iv = loop.iv();
        made = at.for_(loop.lower(), loop.upper(), loop.step(), initial, op.attrs,
                       [&](Builder& in, ValueId number, const Values& now) {
                           ValueMap values = arguments(carried, now);
                           values[iv] = number;
                           return round(in, values, now);
                       });
    } else {
        const WhileOp loop(fn_, id);
        const Values tested = spanned(loop.tested());
        const RegionId test = loop.test();
        made = at.while_(
            initial,
            [&](Builder& in, const Values& now) { return copied(in, test, arguments(tested, now), active_).yields[0]; },
            [&](Builder& in, const Values& now) { return round(in, arguments(carried, now), now); }, op.attrs);
    }
    replace(id, made, moving);
    return ok_;
}

}  // namespace tsr::ir::autodiff
