#include "ir/passes/tile/variability.h"

#include <algorithm>

namespace tsr::ir {

namespace {

// A least fixed point: everything starts uniform, and becomes varying for a reason.
class VariabilitySolver {
public:
    VariabilitySolver(const Function& function, const LoopRoles& roles) : function_(function), roles_(roles) {
        found_.varying.assign(function.value_count(), false);
        found_.divergent.assign(function.op_count(), false);
    }

    Variability solve() {
        do {
            changed_ = false;
            visit(function_.body, false);
        } while (changed_);
        return std::move(found_);
    }

private:
    void mark(ValueId value, bool varying) {
        if (!varying || found_.varying[value.index]) return;
        found_.varying[value.index] = true;
        changed_ = true;
    }
    void mark_all(const std::vector<ValueId>& values, bool varying) {
        for (ValueId value : values) mark(value, varying);
    }
    [[nodiscard]] bool varies(ValueId value) const { return found_.varying[value.index]; }
    [[nodiscard]] bool any_varies(const std::vector<ValueId>& values) const {
        return std::ranges::any_of(values, [&](ValueId v) { return varies(v); });
    }
    [[nodiscard]] const std::vector<ValueId>& yielded(RegionId region) const {
        return function_.op(function_.region(region).ops.back()).operands;
    }

    void visit(RegionId region, bool divergent) {
        for (OpId op : function_.region(region).ops) visit(op, divergent);
    }

    void visit(OpId id, bool divergent) {
        if (divergent) found_.divergent[id.index] = true;
        const Op& op = function_.op(id);
        switch (op.kind) {
            case OpKind::for_:
                return visit_for(id, op, divergent);
            case OpKind::while_:
                return visit_while(op, divergent);
            case OpKind::if_:
                return visit_if(op, divergent);
            case OpKind::tile_id:
            case OpKind::lane_id:
            case OpKind::shuffle:
            case OpKind::broadcast:  // uniform over a warp, not over the group
            case OpKind::ballot:
            case OpKind::group_scan:
                return mark_all(op.results, true);
            case OpKind::group_reduce:
                return;           // one value for the whole group
            case OpKind::atomic:  // what each tile finds is its own
                return mark_all(op.results, divergent || any_varies(op.operands));
            default:  // every other operation: a function of its operands
                return mark_all(op.results, any_varies(op.operands));
        }
    }

    void visit_for(OpId id, const Op& op, bool divergent) {
        const Region& body = function_.region(op.regions[0]);
        bool bounds = varies(op.operands[0]) || varies(op.operands[1]) || varies(op.operands[2]);
        mark(body.args[0],
             bounds || roles_[id.index] == LoopRole::tile_loop || roles_[id.index] == LoopRole::element_grid);
        bool spread = roles_[id.index] == LoopRole::tile_loop || roles_[id.index] == LoopRole::element_grid;
        for (size_t i = 0; i < op.results.size(); ++i) {
            bool carried = bounds || varies(op.operands[3 + i]) || varies(yielded(op.regions[0])[i]);
            mark(body.args[1 + i], carried);
            mark(op.results[i], carried);
        }
        visit(op.regions[0], divergent || bounds || spread);
    }

    void visit_while(const Op& op, bool divergent) {
        const Region& condition = function_.region(op.regions[0]);
        const Region& body = function_.region(op.regions[1]);
        bool rounds = varies(yielded(op.regions[0])[0]);
        for (size_t i = 0; i < op.results.size(); ++i) {
            bool carried = rounds || varies(op.operands[i]) || varies(yielded(op.regions[1])[i]);
            mark(condition.args[i], carried);
            mark(body.args[i], carried);
            mark(op.results[i], carried);
        }
        visit(op.regions[0], divergent || rounds);
        visit(op.regions[1], divergent || rounds);
    }

    void visit_if(const Op& op, bool divergent) {
        bool choice = varies(op.operands[0]);
        for (size_t i = 0; i < op.results.size(); ++i) {
            mark(op.results[i], choice || varies(yielded(op.regions[0])[i]) || varies(yielded(op.regions[1])[i]));
        }
        visit(op.regions[0], divergent || choice);
        visit(op.regions[1], divergent || choice);
    }

    const Function& function_;
    const LoopRoles& roles_;
    Variability found_;
    bool changed_ = false;
};

}  // namespace

bool Variability::is_groups(const Function& function, OpId id) const {
    if (is_divergent(id)) return false;
    const Op& op = function.op(id);
    auto uniform = [&](ValueId v) { return !is_varying(v); };
    return std::ranges::all_of(op.operands, uniform) && std::ranges::all_of(op.results, uniform);
}

Variability find_variability(const Function& function, const LoopRoles& roles) {
    return VariabilitySolver(function, roles).solve();
}

bool is_of_register_tiles(const Function& function, const Op& op) {
    auto tile = [&](ValueId v) { return function.type(v).kind == TypeKind::tile; };
    return std::ranges::any_of(op.operands, tile) || std::ranges::any_of(op.results, tile);
}

bool is_collective(const Function& function, const Op& op) {
    switch (op.kind) {
        case OpKind::barrier:
        case OpKind::copy_async:
        case OpKind::commit:
        case OpKind::wait_group:
        case OpKind::acquire:
        case OpKind::fill:
        case OpKind::take:
        case OpKind::release:
        case OpKind::group_reduce:
        case OpKind::group_scan:
        case OpKind::shuffle:
        case OpKind::broadcast:
        case OpKind::ballot:
            return true;
        default:
            return is_of_register_tiles(function, op);
    }
}

}  // namespace tsr::ir
