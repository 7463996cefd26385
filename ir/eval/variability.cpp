#include "ir/eval/variability.h"

#include <span>

#include "ir/ops/control.h"
#include "ir/ops/memory.h"
#include "ir/ops/record.h"

namespace tsr::ir::eval {

namespace {

class Analyzer {
public:
    explicit Analyzer(const Function& fn) : fn_(fn) {
        out_.varying.assign(fn.value_count(), false);
        out_.needs_array.assign(fn.value_count(), false);
        out_.divergent.assign(fn.op_count(), false);
        out_.last_use.assign(fn.value_count(), OpId{});
    }

    Analysis run() {
        // Facts only grow from uniform to varying; what loops carry takes a round or more to settle.
        do {
            changed_ = false;
            region(fn_.body, false);
        } while (changed_);
        mark_arrays(fn_.body, false);
        uses(fn_.body);
        return std::move(out_);
    }

private:
    void vary(ValueId v) {
        if (out_.varying[v.index]) return;
        out_.varying[v.index] = true;
        changed_ = true;
    }
    void vary_if(ValueId v, bool condition) {
        if (condition) vary(v);
    }
    [[nodiscard]] bool varies(ValueId v) const { return out_.varying[v.index]; }
    [[nodiscard]] const Op& yield_of(RegionId r) const { return fn_.op(fn_.region(r).ops.back()); }

    void region(RegionId id, bool in_lanes) {
        for (OpId op : fn_.region(id).ops) visit(op, in_lanes);
    }

    void visit(OpId id, bool in_lanes) {
        const Op& op = fn_.op(id);
        if (op.kind == OpKind::for_) return for_loop(id, op, in_lanes);
        if (op.kind == OpKind::while_) return while_loop(id, op, in_lanes);
        if (op.kind == OpKind::if_) return branch(id, op, in_lanes);
        if (op.kind == OpKind::grid) return region(op.regions[0], false);
        if (op.kind == OpKind::lanes) {
            for (ValueId arg : fn_.region(op.regions[0]).args) vary(arg);
            region(op.regions[0], true);
            return results(op, true);  // lane arrays
        }
        if (op.kind == OpKind::lane_id || op.kind == OpKind::lane_read) return results(op, true);
        if (op.kind == OpKind::atomic) return results(op, in_lanes);  // every lane does its own
        bool any = false;
        for (ValueId v : op.operands) any |= varies(v);
        for (ValueId result : op.results) {
            vary_if(result, any && (in_lanes || fn_.type(result).kind == TypeKind::lane_array));
            vary_if(result, !in_lanes && fn_.type(result).kind == TypeKind::lane_array);
        }
    }

    void results(const Op& op, bool varying) {
        for (ValueId result : op.results) vary_if(result, varying);
    }

    void carried(const Op& op, std::span<const ValueId> initial, std::span<const ValueId> args, const Op& yield,
                 bool divergent) {
        for (size_t i = 0; i < args.size(); ++i) {
            const bool varying = divergent || varies(initial[i]) || varies(yield.operands[i]) || varies(args[i]) ||
                                 varies(op.results[i]);
            vary_if(args[i], varying);
            vary_if(op.results[i], varying);
        }
    }

    void diverge(OpId id) {
        if (out_.divergent[id.index]) return;
        out_.divergent[id.index] = true;
        changed_ = true;
    }

    void for_loop(OpId id, const Op& op, bool in_lanes) {
        const ForOp loop(fn_, id);
        if (varies(loop.lower()) || varies(loop.upper()) || varies(loop.step())) diverge(id);
        vary_if(loop.iv(), out_.divergent[id.index]);
        carried(op, loop.inits(), loop.carried(), yield_of(loop.body()), out_.divergent[id.index]);
        region(loop.body(), in_lanes);
        carried(op, loop.inits(), loop.carried(), yield_of(loop.body()), out_.divergent[id.index]);
    }

    void while_loop(OpId id, const Op& op, bool in_lanes) {
        for (RegionId r : op.regions) {
            carried(op, op.operands, fn_.region(r).args, yield_of(op.regions[1]), out_.divergent[id.index]);
            region(r, in_lanes);
        }
        if (varies(yield_of(op.regions[0]).operands.front())) diverge(id);
        for (RegionId r : op.regions) {
            carried(op, op.operands, fn_.region(r).args, yield_of(op.regions[1]), out_.divergent[id.index]);
        }
    }

    void branch(OpId id, const Op& op, bool in_lanes) {
        if (varies(IfOp(fn_, id).condition())) diverge(id);
        for (RegionId r : op.regions) region(r, in_lanes);
        for (size_t i = 0; i < op.results.size(); ++i) {
            vary_if(op.results[i], out_.divergent[id.index] || varies(yield_of(op.regions[0]).operands[i]) ||
                                       varies(yield_of(op.regions[1]).operands[i]));
        }
    }

    // Loops over lanes take arrays; control flow and accesses to memory take one value for all as it is.
    void mark_arrays(RegionId id, bool in_lanes) {
        for (OpId at : fn_.region(id).ops) {
            const Op& op = fn_.op(at);
            for (RegionId r : op.regions) mark_arrays(r, in_lanes || op.kind == OpKind::lanes);
            const bool collective = op.kind == OpKind::group_reduce || op.kind == OpKind::group_scan ||
                                    op.kind == OpKind::shuffle || op.kind == OpKind::broadcast ||
                                    op.kind == OpKind::ballot;
            const bool element = is_element(op.kind) && varies(op.results[0]);
            if (element || collective) {
                for (ValueId v : op.operands) need_array(v);
            }
            if (in_lanes && WriteOp::suits(op.kind)) need_array(WriteOp(fn_, at).value());
        }
    }
    void need_array(ValueId v) {
        if (!varies(v)) out_.needs_array[v.index] = true;
    }

    // For each operand: the ancestor of the user that stands in the value's own region.
    void uses(RegionId id) {
        for (OpId at : fn_.region(id).ops) {
            chain_.push_back({id, at});
            const Op& op = fn_.op(at);
            for (ValueId v : op.operands) {
                const Value& value = fn_.value(v);
                const RegionId home = value.op.valid() ? fn_.op(value.op).parent : value.region;
                for (const auto& [region, user] : chain_) {
                    if (region == home) out_.last_use[v.index] = user;
                }
            }
            for (RegionId r : op.regions) uses(r);
            chain_.pop_back();
        }
    }

    const Function& fn_;
    Analysis out_;
    bool changed_ = false;
    std::vector<std::pair<RegionId, OpId>> chain_;
};

}  // namespace

Analysis analyze(const Function& kernel) { return Analyzer(kernel).run(); }

}  // namespace tsr::ir::eval
