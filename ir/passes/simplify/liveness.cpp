#include "ir/passes/simplify/liveness.h"

#include "ir/ops/control.h"
#include "ir/passes/simplify/rewrite.h"

namespace tsr::ir {

Liveness::Liveness(const Function& function, const std::function<bool(OpId)>& happens)
    : fn_(function), ops_(function.op_count()), values_(function.value_count()) {
    for (RegionId root : roots(fn_)) {
        for_each_op(fn_, root, [&](OpId id) {
            if (fn_.op(id).kind != OpKind::yield && happens(id)) need_op(id);
        });
        need_all(fn_.op(yield_of(fn_, root)).operands);
    }
    while (!work_.empty()) {
        const ValueId value = work_.back();
        work_.pop_back();
        follow(value);
    }
}

bool Liveness::position(OpId id, size_t number) const {
    const Op& op = fn_.op(id);
    bool needed = values_[op.results[number].index];
    if (op.kind == OpKind::for_) needed |= values_[ForOp(fn_, id).carried()[number].index];
    if (op.kind == OpKind::while_) {
        needed |= values_[WhileOp(fn_, id).carried()[number].index];
        needed |= values_[WhileOp(fn_, id).tested()[number].index];
    }
    return needed;
}

void Liveness::need(ValueId value) {
    if (values_[value.index]) return;
    values_[value.index] = true;
    work_.push_back(value);
}

void Liveness::need_all(ValueSpan values) {
    for (ValueId value : values) need(value);
}

// The operation happens: so do those around it, and what decides how often.
void Liveness::need_op(OpId id) {
    if (ops_[id.index]) return;
    ops_[id.index] = true;
    const Op& op = fn_.op(id);
    if (op.kind == OpKind::for_) {
        need_all(ValueSpan(op.operands).first(ForOp::kFirstInit));
    } else if (op.kind == OpKind::while_) {
        need(WhileOp(fn_, id).condition());
    } else {
        need_all(op.operands);
    }
    const OpId around = fn_.region(op.parent).parent;
    if (around.valid()) need_op(around);
}

void Liveness::follow(ValueId id) {
    const Value& value = fn_.value(id);
    if (value.op.valid()) {
        need_op(value.op);
        result(value.op, value.number);
        return;
    }
    const OpId around = fn_.region(value.region).parent;
    if (!around.valid()) return;
    need_op(around);
    const OpKind kind = fn_.op(around).kind;
    if (kind == OpKind::for_ && value.number >= ForOp::kFirstCarried) {
        result(around, value.number - ForOp::kFirstCarried);
    }
    if (kind == OpKind::while_) result(around, value.number);
}

// What a result, or what is carried for it, is made of.
void Liveness::result(OpId id, size_t number) {
    const Op& op = fn_.op(id);
    if (op.kind == OpKind::for_) {
        need(ForOp(fn_, id).inits()[number]);
        need(ForOp(fn_, id).next()[number]);
    } else if (op.kind == OpKind::while_) {
        need(WhileOp(fn_, id).inits()[number]);
        need(WhileOp(fn_, id).next()[number]);
    } else if (op.kind == OpKind::if_ || op.kind == OpKind::lanes) {
        for (RegionId region : op.regions) need(yielded(fn_, region)[number]);
    }
}

namespace {

bool drop_results(Function& fn, const Liveness& liveness, OpId id) {
    std::vector<bool> drop(fn.op(id).results.size());
    bool any = false;
    for (size_t i = 0; i < drop.size(); ++i) {
        drop[i] = !liveness.position(id, i);
        any |= drop[i];
    }
    if (any) drop_positions(fn, id, drop);
    return any;
}

bool sweep_region(Function& fn, const Liveness& liveness, RegionId region) {
    bool changed = false;
    std::vector<OpId> kept;
    for (OpId id : std::vector<OpId>(fn.region(region).ops)) {
        if (fn.op(id).kind != OpKind::yield && !liveness.op(id)) {
            fn.op(id).parent = {};
            changed = true;
            continue;
        }
        kept.push_back(id);
        if (fn.op(id).regions.empty()) continue;
        changed |= drop_results(fn, liveness, id);
        for (RegionId inner : std::vector<RegionId>(fn.op(id).regions)) changed |= sweep_region(fn, liveness, inner);
    }
    fn.region(region).ops = std::move(kept);
    return changed;
}

}  // namespace

bool sweep(Function& function, const Liveness& liveness) {
    bool changed = false;
    for (RegionId root : roots(function)) changed |= sweep_region(function, liveness, root);
    return changed;
}

}  // namespace tsr::ir
