#include "ir/ops/effects.h"

#include <algorithm>

#include "ir/ops/axes.h"

namespace tsr::ir {

namespace {

template <typename T>
void add_once(std::vector<T>& to, T item) {
    if (std::find(to.begin(), to.end(), item) == to.end()) to.push_back(item);
}

bool names_memory(const Type& type) {
    return type.is_memory() || type.kind == TypeKind::pointer || type.is_container();
}

constexpr bool reads(Access access) { return access == Access::reads || access == Access::reads_writes; }
constexpr bool writes(Access access) { return access == Access::writes || access == Access::reads_writes; }

// The operands that name memory to which the operation does what `wanted` says.
std::vector<ValueId> memories(const Function& function, const Op& op, bool (*wanted)(Access)) {
    std::vector<ValueId> found;
    const OpRecord& r = record(op.kind);
    if (r.pure()) return found;
    for (size_t i = 0; i < op.operands.size(); ++i) {
        const Role* role = role_of(r, i, op.operands.size());
        if (role == nullptr || !wanted(role->access) || !names_memory(function.type(op.operands[i]))) continue;
        add_once(found, op.operands[i]);
    }
    return found;
}

void add_op(const Function& function, OpId id, Touches& all) {
    const Op& op = function.op(id);
    for (const ValueId memory : read_memories(function, op)) add_once(all.reads, memory);
    for (const ValueId memory : written_memories(function, op)) add_once(all.writes, memory);
    // A region's yield belongs to the operation around it.
    if (op.kind == OpKind::yield) return;
    for (Effect effect : record(op.kind).effects) add_once(all.effects, effect);
}

}  // namespace

std::vector<ValueId> read_memories(const Function& function, const Op& op) { return memories(function, op, reads); }
std::vector<ValueId> written_memories(const Function& function, const Op& op) { return memories(function, op, writes); }

bool Touches::has(Effect effect) const { return std::find(effects.begin(), effects.end(), effect) != effects.end(); }

bool Touches::removable() const {
    return writes.empty() && !has(Effect::barrier) && !has(Effect::in_order) && !has(Effect::io);
}

bool is_of_register_tiles(const Function& function, const Op& op) {
    const auto tile = [&](ValueId v) { return is_tile(function, v); };
    return std::ranges::any_of(op.operands, tile) || std::ranges::any_of(op.results, tile);
}

bool is_collective(const Function& function, const Op& op) {
    return record(op.kind).has(Effect::collective) || is_of_register_tiles(function, op);
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
