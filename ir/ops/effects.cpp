#include "ir/ops/effects.h"

#include <algorithm>

namespace tsr::ir {

namespace {

template <typename T>
void add_once(std::vector<T>& to, T item) {
    if (std::find(to.begin(), to.end(), item) == to.end()) to.push_back(item);
}

bool names_memory(const Type& type) {
    return type.is_memory() || type.kind == TypeKind::pointer || type.is_container();
}

void add_op(const Function& function, OpId id, Touches& all) {
    const Op& op = function.op(id);
    const OpRecord& r = record(op.kind);
    for (size_t i = 0; i < op.operands.size(); ++i) {
        const Role* role = role_of(r, i, op.operands.size());
        if (role == nullptr || !names_memory(function.type(op.operands[i]))) continue;
        const bool reads = role->access == Access::reads || role->access == Access::reads_writes;
        const bool writes = role->access == Access::writes || role->access == Access::reads_writes;
        if (reads) add_once(all.reads, op.operands[i]);
        if (writes) add_once(all.writes, op.operands[i]);
    }
    // A region's yield belongs to the operation around it.
    if (op.kind == OpKind::yield) return;
    for (Effect effect : r.effects) add_once(all.effects, effect);
}

}  // namespace

bool Touches::has(Effect effect) const { return std::find(effects.begin(), effects.end(), effect) != effects.end(); }

bool Touches::removable() const {
    return writes.empty() && !has(Effect::barrier) && !has(Effect::in_order) && !has(Effect::io);
}

Touches touches(const Function& function, OpId op) {
    Touches all;
    add_op(function, op, all);
    for (RegionId region : function.op(op).regions) {
        for_each_op(function, region, [&](OpId inner) { add_op(function, inner, all); });
    }
    return all;
}

Touches touches(const Function& function, RegionId region) {
    Touches all;
    for_each_op(function, region, [&](OpId inner) { add_op(function, inner, all); });
    return all;
}

}  // namespace tsr::ir
