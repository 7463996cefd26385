#include "ir/passes/tile/walk.h"

#include <algorithm>

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

bool is_pure(OpKind kind) {
    if (is_element(kind)) return true;
    switch (kind) {
        case OpKind::constant:
        case OpKind::dim:
        case OpKind::tile_id:
        case OpKind::lane_id:
        case OpKind::group_id:
        case OpKind::group_size:
        case OpKind::group_count:
        case OpKind::vector_extract:
        case OpKind::vector_build:
        case OpKind::lane_read:
        case OpKind::stage:
        case OpKind::expand:
        case OpKind::tile_iota:
        case OpKind::transpose:
        case OpKind::reduce:
        case OpKind::scan:
        case OpKind::pack_rows:
            return true;
        default:
            return false;
    }
}

ValueId written_memory(const Op& op) {
    switch (op.kind) {
        case OpKind::write:
        case OpKind::write_vector:
        case OpKind::atomic:
        case OpKind::copy_async:
        case OpKind::store_tile:
        case OpKind::atomic_tile:
            return op.operands[0];
        default:
            return {};
    }
}

std::vector<ValueId> read_memories(const Function& function, const Op& op) {
    switch (op.kind) {
        case OpKind::read:
        case OpKind::read_vector:
        case OpKind::buffer_reduce:
        case OpKind::atomic:
        case OpKind::load_tile:
        case OpKind::atomic_tile:
            return {op.operands[0]};
        case OpKind::copy_async:
            return {op.operands[1]};
        case OpKind::mma: {
            std::vector<ValueId> buffers{op.operands[0], op.operands[1]};
            std::erase_if(buffers, [&](ValueId v) { return !function.type(v).is_memory(); });
            return buffers;
        }
        default:
            return {};
    }
}

ValueId memory_root(const Function& function, ValueId memory) {
    while (function.value(memory).op.valid()) {
        const Op& op = function.op(function.value(memory).op);
        if (op.kind != OpKind::stage) break;
        memory = op.operands[0];
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
