#include "ir/passes/autodiff/activity.h"

#include <algorithm>

#include "ir/ops/control.h"
#include "ir/ops/graph.h"

namespace tsr::ir::autodiff {

Activity::Activity(const Function& fn, const std::vector<int64_t>& wrt) : fn_(fn), active_(fn.value_count()) {
    for (const int64_t number : wrt) {
        const ValueId param = fn.params()[static_cast<size_t>(number)];
        set(param, may_differentiate(fn.type(param)));
    }
    region(fn.body);
}

void Activity::set(ValueId value, bool active) {
    if (value.index >= active_.size()) active_.resize(value.index + 1);
    active_[value.index] = active;
}

void Activity::region(RegionId id) {
    for (const OpId op : fn_.region(id).ops) operation(op);
}

bool Activity::carry(ValueSpan from, ValueSpan to) {
    bool more = false;
    for (size_t i = 0; i < to.size(); ++i) {
        if (!has(from[i]) || has(to[i])) continue;
        set(to[i], true);
        more = true;
    }
    return more;
}

void Activity::operation(OpId id) {
    const Op& op = fn_.op(id);
    switch (op.kind) {
        case OpKind::for_: {
            const ForOp loop(fn_, id);
            carry(loop.inits(), loop.carried());
            do region(loop.body());
            while (carry(loop.next(), loop.carried()));
            carry(loop.carried(), loop.results());
            return;
        }
        case OpKind::while_: {
            const WhileOp loop(fn_, id);
            carry(loop.inits(), loop.carried());
            do region(loop.body());
            while (carry(loop.next(), loop.carried()));
            carry(loop.carried(), loop.results());
            return;
        }
        case OpKind::if_: {
            const IfOp branch(fn_, id);
            for (const RegionId side : {branch.then(), branch.otherwise()}) {
                region(side);
                carry(yielded(fn_, side), branch.results());
            }
            return;
        }
        case OpKind::stop:
            return;
        default:
            break;
    }
    if (std::ranges::none_of(op.operands, [&](ValueId v) { return has(v); })) return;
    for (const ValueId result : op.results) set(result, may_differentiate(fn_.type(result)));
}

}  // namespace tsr::ir::autodiff
