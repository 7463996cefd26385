#include "ir/ops/bound_dim.h"
#include "ir/ops/record.h"
#include "ir/passes/simplify/liveness.h"
#include "ir/passes/simplify/simplify.h"

namespace tsr::ir {

bool has_effect(const Op& op) {
    const OpRecord& r = record(op.kind);
    if (BoundDimOp::is_one(op)) return true;
    if (r.has(Effect::io) || r.has(Effect::barrier) || r.has(Effect::in_order)) return true;
    for (const Role& role : r.operands) {
        if (role.access == Access::writes || role.access == Access::reads_writes) return true;
    }
    return false;
}

bool drop_dead(Function& function) {
    return sweep(function, Liveness(function, [&](OpId id) { return has_effect(function.op(id)); }));
}

}  // namespace tsr::ir
