#include "ir/passes/autodiff/varying.h"

#include <algorithm>
#include <set>

#include "ir/ops/control.h"

namespace tsr::ir::autodiff {

namespace {

void add_taken(const Function& fn, OpId id, std::set<ValueId>& known, std::vector<ValueId>& taken) {
    for (const ValueId operand : fn.op(id).operands) {
        if (known.insert(operand).second) taken.push_back(operand);
    }
    for (const RegionId region : fn.op(id).regions) {
        for (const ValueId argument : fn.region(region).args) known.insert(argument);
        for (const OpId op : fn.region(region).ops) {
            add_taken(fn, op, known, taken);
            for (const ValueId result : fn.op(op).results) known.insert(result);
        }
    }
}

}  // namespace

std::vector<ValueId> taken_values(const Function& fn, OpId op) {
    std::set<ValueId> known;
    std::vector<ValueId> taken;
    add_taken(fn, op, known, taken);
    return taken;
}

Varying::Varying(const Function& fn, const std::vector<bool>& params) : fn_(fn), varies_(fn.value_count()) {
    for (size_t i = 0; i < params.size(); ++i) varies_[fn.params()[i].index] = params[i];
    region(fn.body);
}

bool Varying::touches(OpId op) const {
    return std::ranges::any_of(taken_values(fn_, op), [&](ValueId v) { return has(v); });
}

bool Varying::steers(OpId id) const {
    const Op& op = fn_.op(id);
    if (op.kind == OpKind::if_) return has(IfOp(fn_, id).condition());
    if (op.kind == OpKind::for_) {
        const ForOp loop(fn_, id);
        return has(loop.lower()) || has(loop.upper()) || has(loop.step());
    }
    return op.kind == OpKind::while_ && has(WhileOp(fn_, id).condition());
}

void Varying::region(RegionId id) {
    for (const OpId op : fn_.region(id).ops) operation(op);
}

bool Varying::carry(ValueSpan from, ValueSpan to) {
    bool more = false;
    for (size_t i = 0; i < to.size(); ++i) {
        if (!has(from[i]) || has(to[i])) continue;
        varies_[to[i].index] = true;
        more = true;
    }
    return more;
}

void Varying::all_results(OpId id) {
    for (const ValueId result : fn_.op(id).results) varies_[result.index] = true;
}

void Varying::loop(OpId id, ValueSpan inits, ValueSpan carried, RegionId body) {
    carry(inits, carried);
    do region(body);
    while (carry(yielded(fn_, body), carried));
    carry(carried, fn_.op(id).results);
}

void Varying::operation(OpId id) {
    const Op& op = fn_.op(id);
    if (op.kind == OpKind::for_) {
        const ForOp one(fn_, id);
        loop(id, one.inits(), one.carried(), one.body());
    } else if (op.kind == OpKind::while_) {
        const WhileOp one(fn_, id);
        loop(id, one.inits(), one.carried(), one.body());
        // What the test sees is what is carried.
        for (size_t i = 0; i < one.tested().size(); ++i)
            varies_[one.tested()[i].index] = has(one.carried()[i]) || has(one.inits()[i]);
        region(one.test());
    } else if (op.kind == OpKind::if_) {
        const IfOp one(fn_, id);
        for (const RegionId side : {one.then(), one.otherwise()}) {
            region(side);
            carry(yielded(fn_, side), one.results());
        }
    } else if (touches(id)) {
        all_results(id);
    }
    if (steers(id)) all_results(id);
}

}  // namespace tsr::ir::autodiff
