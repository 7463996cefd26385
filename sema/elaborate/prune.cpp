#include "sema/elaborate/prune.h"

#include <algorithm>
#include <set>
#include <vector>

#include "ir/ops/control.h"
#include "ir/ops/effects.h"
#include "ir/passes/simplify/liveness.h"

namespace tsr::elaborate {

using ir::Op;
using ir::OpId;
using ir::OpKind;
using ir::RegionId;
using ir::ValueId;

namespace {

bool is_control(OpKind kind) { return kind == OpKind::for_ || kind == OpKind::while_ || kind == OpKind::if_; }

// Operands of a control operation before those it carries.
size_t fixed_operands(OpKind kind) { return kind == OpKind::for_ ? 3 : kind == OpKind::if_ ? 1 : 0; }

// Made to stand where no read reaches.
bool is_placeholder(const Op& op) {
    if (op.kind == OpKind::buffer) return true;
    if (op.kind != OpKind::host) return false;
    const std::string& entry = op.attrs.string(ir::Attr::callee);
    return entry == "empty" || entry == "list";
}

class Pruner {
public:
    Pruner(ir::Function& fn, const std::set<OpId>& placeholders)
        : fn_(fn), placeholders_(placeholders), live_(fn, [this](OpId id) { return happens(id); }) {}

    void run() {
        order_loops();
        ir::sweep(fn_, live_);
    }

private:
    [[nodiscard]] bool happens(OpId id) const {
        const Op& op = fn_.op(id);
        return !is_control(op.kind) && !is_placeholder(op) && (!ir::record(op.kind).pure() || is_groups(id));
    }

    // Whether all tiles of the group have to do it together is checked later, also where nobody reads what it gives.
    [[nodiscard]] bool is_groups(OpId id) const {
        const Op& op = fn_.op(id);
        if (fn_.level != ir::Level::tile || placeholders_.contains(id)) return false;
        return ir::is_collective(fn_, op) || ir::is_of_register_tiles(fn_, op);
    }

    // A loop that promises nothing about who runs what runs in order where it carries a variable: also one whose value
    // nothing needs in the end, which is not carried any more behind this.
    [[nodiscard]] static bool is_spread(const Op& op) {
        return op.kind == OpKind::for_ &&
               op.attrs.integer(ir::Attr::loop, 0) == static_cast<int64_t>(ir::LoopKind::tile_range);
    }

    void order_loops() {
        for (size_t i = 0; i < fn_.op_count(); ++i) {
            const OpId id(i);
            Op& op = fn_.op(id);
            if (!op.parent.valid() || !live_.op(id) || !is_spread(op)) continue;
            const ir::ValueSpan carried = ir::ForOp(fn_, id).carried();
            bool carries = false;
            for (size_t k = 0; k < carried.size(); ++k) {
                std::set<ValueId> seen;
                carries = carries || (!live_.position(id, k) && is_read(carried[k], seen));
            }
            if (carries) op.attrs.set(ir::Attr::loop, static_cast<int64_t>(ir::LoopKind::in_order));
        }
    }

    // Whether an operation reads the value, itself or behind the ends of branches and of loops inside.
    bool is_read(ValueId value, std::set<ValueId>& seen) {
        if (!seen.insert(value).second) return false;
        for (const OpId user : users(value)) {
            const Op& op = fn_.op(user);
            const bool yields = op.kind == OpKind::yield;
            if (!yields && !is_control(op.kind)) return true;
            const OpId around = yields ? fn_.region(op.parent).parent : user;
            const bool condition =
                yields && fn_.op(around).kind == OpKind::while_ && op.parent == fn_.op(around).regions[0];
            const size_t first = yields ? (condition ? 1 : 0) : fixed_operands(op.kind);
            for (size_t i = 0; i < op.operands.size(); ++i) {
                if (op.operands[i] != value) continue;
                if (i < first || is_read_as(around, i - first, seen)) return true;
            }
        }
        return false;
    }

    // The k-th value that a control operation gives, or hands from round to round.
    bool is_read_as(OpId around, size_t k, std::set<ValueId>& seen) {
        const Op& op = fn_.op(around);
        if (is_read(op.results[k], seen)) return true;
        if (op.kind == OpKind::if_) return false;
        const size_t first = op.kind == OpKind::for_ ? 1 : 0;
        return std::ranges::any_of(op.regions,
                                   [&](RegionId region) { return is_read(fn_.region(region).args[first + k], seen); });
    }

    const std::vector<OpId>& users(ValueId value) {
        if (users_.empty()) {
            users_.resize(fn_.value_count());
            for (size_t i = 0; i < fn_.op_count(); ++i) {
                if (!fn_.op(OpId(i)).parent.valid()) continue;
                for (const ValueId operand : fn_.op(OpId(i)).operands) users_[operand.index].push_back(OpId(i));
            }
        }
        return users_[value.index];
    }

    ir::Function& fn_;
    const std::set<OpId>& placeholders_;
    ir::Liveness live_;
    std::vector<std::vector<OpId>> users_;  // by value, when they are asked for
};

// Carried values that no round changes are what they were before; results that both sides give alike are that.
void forward_unchanged(ir::Function& fn) {
    std::vector<ValueId> to(fn.value_count());
    const auto last = [&](ValueId v) {
        while (to[v.index].valid()) v = to[v.index];
        return v;
    };
    const auto equal = [&](ValueId a, ValueId b) {
        if (a == b) return true;
        const OpId one = fn.value(a).op;
        const OpId other = fn.value(b).op;
        if (!one.valid() || !other.valid() || fn.op(one).kind != OpKind::constant) return false;
        return fn.op(other).kind == OpKind::constant && fn.op(one).attrs == fn.op(other).attrs;
    };
    for (size_t round = 0, changed = 1; changed && round < 8; ++round) {
        changed = 0;
        for (size_t i = 0; i < fn.op_count(); ++i) {
            const Op& op = fn.op(OpId(i));
            if (!op.parent.valid() || !is_control(op.kind)) continue;
            for (size_t k = 0; k < op.results.size(); ++k) {
                if (to[op.results[k].index].valid()) continue;
                const auto given = [&](RegionId region) {
                    return last(fn.op(fn.region(region).ops.back()).operands[k]);
                };
                if (op.kind == OpKind::if_) {
                    const ValueId then = given(op.regions[0]);
                    if (then != given(op.regions[1])) continue;
                    to[op.results[k].index] = then;
                    ++changed;
                    continue;
                }
                const size_t first = op.kind == OpKind::for_ ? 1 : 0;
                const ValueId arg = fn.region(op.regions.back()).args[first + k];
                const ValueId initial = last(op.operands[fixed_operands(op.kind) + k]);
                const ValueId next = given(op.regions.back());
                if (next != arg && !equal(next, initial)) continue;
                for (const RegionId region : op.regions) {
                    const ValueId carried = fn.region(region).args[first + k];
                    if (!to[carried.index].valid()) to[carried.index] = initial;
                }
                to[op.results[k].index] = initial;
                ++changed;
            }
        }
    }
    fn.replace_uses(to);
}

}  // namespace

void prune(ir::Function& function, const std::set<OpId>& placeholders) {
    forward_unchanged(function);
    Pruner(function, placeholders).run();
}

}  // namespace tsr::elaborate
