#include "sema/elaborate/prune.h"

#include <algorithm>
#include <set>
#include <vector>

#include "ir/ops/effects.h"
#include "ir/ops/record.h"

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
        : fn_(fn), placeholders_(placeholders), live_ops_(fn.op_count()), needed_(fn.value_count()) {}

    void run() {
        mark_effects(fn_.body);
        while (!work_.empty()) {
            const ValueId value = work_.back();
            work_.pop_back();
            follow(value);
        }
        order_loops();
        sweep(fn_.body);
    }

private:
    const Op& yield_of(RegionId region) const { return fn_.op(fn_.region(region).ops.back()); }

    void need(ValueId value) {
        if (needed_[value.index]) return;
        needed_[value.index] = true;
        work_.push_back(value);
    }

    void keep(OpId id) {
        if (live_ops_[id.index]) return;
        live_ops_[id.index] = true;
        const Op& op = fn_.op(id);
        if (!is_control(op.kind)) {
            for (const ValueId operand : op.operands) need(operand);
        } else {
            for (size_t i = 0; i < fixed_operands(op.kind); ++i) need(op.operands[i]);
            if (op.kind == OpKind::while_) need(yield_of(op.regions[0]).operands[0]);
        }
        // What stands around it stays.
        if (op.parent.valid()) {
            const OpId around = fn_.region(op.parent).parent;
            if (around.valid()) keep(around);
        }
    }

    // A loop that promises nothing about who runs what runs in order where it carries a variable: also one whose value
    // nothing needs in the end, which is not carried any more behind this.
    [[nodiscard]] static bool is_spread(const Op& op) {
        return op.kind == OpKind::for_ &&
               op.attrs.integer(ir::Attr::loop, 0) == static_cast<int64_t>(ir::LoopKind::tile_range);
    }

    void order_loops() {
        for (size_t i = 0; i < fn_.op_count(); ++i) {
            Op& op = fn_.op(OpId(i));
            if (!op.parent.valid() || !live_ops_[i] || !is_spread(op)) continue;
            const std::vector<ValueId>& args = fn_.region(op.regions[0]).args;
            const bool carries = std::any_of(args.begin() + 1, args.end(), [&](ValueId arg) {
                std::set<ValueId> seen;
                return !needed_[arg.index] && is_read(arg, seen);
            });
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

    // Whether all tiles of the group have to do it together is checked later, also where nobody reads what it gives.
    [[nodiscard]] bool is_groups(OpId id) const {
        const Op& op = fn_.op(id);
        if (fn_.level != ir::Level::tile || placeholders_.contains(id)) return false;
        return ir::is_collective(fn_, op) || ir::is_of_register_tiles(fn_, op);
    }

    void mark_effects(RegionId region) {
        for (const OpId id : fn_.region(region).ops) {
            const Op& op = fn_.op(id);
            for (const RegionId inner : op.regions) mark_effects(inner);
            if (op.kind == OpKind::yield) {
                if (region == fn_.body) keep(id);
            } else if (!is_control(op.kind) && !is_placeholder(op) && (!ir::record(op.kind).pure() || is_groups(id))) {
                keep(id);
            }
        }
    }

    // The k-th value that a loop carries is needed: so are its beginning and what the rounds give it.
    void follow_carried(const Op& loop, size_t k) {
        need(loop.operands[fixed_operands(loop.kind) + k]);
        need(yield_of(loop.regions.back()).operands[k]);
        const size_t first = loop.kind == OpKind::for_ ? 1 : 0;
        for (const RegionId region : loop.regions) need(fn_.region(region).args[first + k]);
        need(loop.results[k]);
    }

    void follow(ValueId id) {
        const ir::Value& value = fn_.value(id);
        if (value.op.valid()) {
            keep(value.op);
            const Op& op = fn_.op(value.op);
            if (op.kind == OpKind::if_) {
                for (const RegionId side : op.regions) need(yield_of(side).operands[value.number]);
            } else if (is_control(op.kind)) {
                follow_carried(op, value.number);
            }
            return;
        }
        const OpId around = fn_.region(value.region).parent;
        if (!around.valid()) return;
        keep(around);
        const Op& loop = fn_.op(around);
        const size_t first = loop.kind == OpKind::for_ ? 1 : 0;
        if (value.number >= first) follow_carried(loop, value.number - first);
    }

    template <typename Keep>
    void filter(std::vector<ValueId>& values, size_t first, const Keep& keep) {
        std::vector<ValueId> kept(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(first));
        for (size_t k = 0; first + k < values.size(); ++k) {
            if (keep(k)) kept.push_back(values[first + k]);
        }
        values = std::move(kept);
    }

    void renumber(std::vector<ValueId>& values) {
        for (size_t i = 0; i < values.size(); ++i) fn_.value(values[i]).number = static_cast<uint32_t>(i);
    }

    void shrink(OpId id) {
        Op& op = fn_.op(id);
        const std::vector<ValueId> results = op.results;
        const auto keep = [&](size_t k) { return static_cast<bool>(needed_[results[k].index]); };
        if (op.kind != OpKind::if_) filter(op.operands, fixed_operands(op.kind), keep);
        for (size_t i = 0; i < op.regions.size(); ++i) {
            ir::Region& region = fn_.region(op.regions[i]);
            if (op.kind != OpKind::if_) filter(region.args, op.kind == OpKind::for_ ? 1 : 0, keep);
            renumber(region.args);
            const bool test = op.kind == OpKind::while_ && i == 0;
            if (!test) filter(fn_.op(region.ops.back()).operands, 0, keep);
        }
        filter(op.results, 0, keep);
        renumber(op.results);
    }

    void sweep(RegionId region) {
        const std::vector<OpId> ops = fn_.region(region).ops;
        for (const OpId id : ops) {
            const Op& op = fn_.op(id);
            if (op.kind == OpKind::yield) continue;
            if (!live_ops_[id.index]) {
                fn_.remove(id);
                continue;
            }
            if (is_control(op.kind)) shrink(id);
            for (const RegionId inner : std::vector<RegionId>(op.regions)) sweep(inner);
        }
    }

    ir::Function& fn_;
    const std::set<OpId>& placeholders_;
    std::vector<bool> live_ops_;
    std::vector<bool> needed_;
    std::vector<ValueId> work_;
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
