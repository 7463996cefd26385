#include "ir/passes/tile/walk.h"

#include <algorithm>

#include "ir/ops/tile.h"

namespace tsr::ir {

void walk(const Function& function, RegionId region, const std::function<void(OpId)>& visit) {
    for (OpId op : function.region(region).ops) {
        visit(op);
        for (RegionId inner : function.op(op).regions) walk(function, inner, visit);
    }
}

bool any_below(const Function& function, RegionId region, const std::function<bool(const Op&)>& predicate) {
    return std::ranges::any_of(function.region(region).ops, [&](OpId op) { return any_in(function, op, predicate); });
}

bool any_in(const Function& function, OpId op, const std::function<bool(const Op&)>& predicate) {
    if (predicate(function.op(op))) return true;
    return std::ranges::any_of(function.op(op).regions,
                               [&](RegionId region) { return any_below(function, region, predicate); });
}

ValueId memory_root(const Function& function, ValueId memory) {
    while (function.value(memory).op.valid()) {
        const Op& op = function.op(function.value(memory).op);
        if (op.kind != OpKind::stage) break;
        memory = StageOp(function, op).buffer();
    }
    return memory;
}

OpId defining_op(const Function& function, ValueId value) {
    const Value& v = function.value(value);
    return v.op.valid() ? v.op : function.region(v.region).parent;
}

bool stands_below(const Function& function, OpId inner, OpId outer) {
    for (OpId at = inner; at.valid(); at = function.region(function.op(at).parent).parent) {
        if (at == outer) return true;
        if (!function.op(at).parent.valid()) return false;
    }
    return false;
}

}  // namespace tsr::ir
