#include "ir/ops/control.h"
#include "ir/passes/simplify/rewrite.h"
#include "ir/passes/simplify/simplify.h"

namespace tsr::ir {

namespace {

// Marks what is needed, beginning at effects, and drops the rest. A carried value that only feeds itself is not needed.
class Sweeper {
public:
    explicit Sweeper(Function& function)
        : fn_(function), op_needed_(function.op_count()), value_needed_(function.value_count()) {}

    bool run() {
        for (RegionId root : roots(fn_)) {
            for_each_op(fn_, root, [&](OpId id) {
                if (has_effect(id)) need_op(id);
            });
            need_all(fn_.op(yield_of(fn_, root)).operands);
        }
        while (!work_.empty()) {
            const ValueId value = work_.back();
            work_.pop_back();
            follow(value);
        }
        for (RegionId root : roots(fn_)) sweep(root);
        return changed_;
    }

private:
    // Of itself, not of what stands in its regions.
    [[nodiscard]] bool has_effect(OpId id) const {
        const Op& op = fn_.op(id);
        const OpRecord& r = record(op.kind);
        if (op.kind == OpKind::yield) return false;
        if (r.has(Effect::io) || r.has(Effect::barrier) || r.has(Effect::in_order)) return true;
        for (const Role& role : r.operands) {
            if (role.access == Access::writes || role.access == Access::reads_writes) return true;
        }
        return false;
    }

    void need(ValueId value) {
        if (value_needed_[value.index]) return;
        value_needed_[value.index] = true;
        work_.push_back(value);
    }
    void need_all(ValueSpan values) {
        for (ValueId value : values) need(value);
    }

    // The operation happens: so do those around it, and what decides how often.
    void need_op(OpId id) {
        if (op_needed_[id.index]) return;
        op_needed_[id.index] = true;
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

    void follow(ValueId id) {
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
    void result(OpId id, size_t number) {
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

    void sweep(RegionId region) {
        const std::vector<OpId> ops = fn_.region(region).ops;
        std::vector<OpId> kept;
        for (OpId id : ops) {
            const bool yields = fn_.op(id).kind == OpKind::yield;
            if (!yields && !op_needed_[id.index]) {
                fn_.op(id).parent = {};
                changed_ = true;
                continue;
            }
            kept.push_back(id);
            if (fn_.op(id).regions.empty()) continue;
            drop_results(id);
            for (RegionId inner : std::vector<RegionId>(fn_.op(id).regions)) sweep(inner);
        }
        fn_.region(region).ops = std::move(kept);
    }

    // A position is needed when its result or one of the arguments carried for it is.
    void drop_results(OpId id) {
        const Op& op = fn_.op(id);
        std::vector<bool> drop(op.results.size());
        bool any = false;
        for (size_t i = 0; i < drop.size(); ++i) {
            bool needed = value_needed_[op.results[i].index];
            if (op.kind == OpKind::for_) needed |= value_needed_[ForOp(fn_, id).carried()[i].index];
            if (op.kind == OpKind::while_) {
                needed |= value_needed_[WhileOp(fn_, id).carried()[i].index];
                needed |= value_needed_[WhileOp(fn_, id).tested()[i].index];
            }
            drop[i] = !needed;
            any |= drop[i];
        }
        if (!any) return;
        drop_positions(fn_, id, drop);
        changed_ = true;
    }

    Function& fn_;
    std::vector<bool> op_needed_;
    std::vector<bool> value_needed_;
    std::vector<ValueId> work_;
    bool changed_ = false;
};

}  // namespace

bool drop_dead(Function& function) { return Sweeper(function).run(); }

}  // namespace tsr::ir
