#include "ir/passes/target/cpu/lanes/uniformity.h"

#include <algorithm>

#include "ir/ops/control.h"
#include "ir/ops/record.h"

namespace tsr::ir {

namespace {

class UniformitySolver {
public:
    explicit UniformitySolver(const Function& kernel) : kernel_(kernel), differs_(kernel.value_count(), false) {}

    std::vector<bool> solve() {
        do {
            changed_ = false;
            visit(kernel_.body);
        } while (changed_);
        return std::move(differs_);
    }

private:
    void mark(ValueId value, bool differs) {
        if (!differs || differs_[value.index]) return;
        differs_[value.index] = true;
        changed_ = true;
    }
    [[nodiscard]] bool differs(ValueId value) const { return differs_[value.index]; }
    [[nodiscard]] const std::vector<ValueId>& yielded(RegionId region) const {
        return kernel_.op(kernel_.region(region).ops.back()).operands;
    }

    void visit(RegionId region) {
        for (OpId id : kernel_.region(region).ops) visit(kernel_.op(id));
    }

    void visit(const Op& op) {
        switch (flow(op.kind)) {
            case Flow::lanes:
                for (ValueId arg : kernel_.region(op.regions[0]).args) mark(arg, true);
                return visit(op.regions[0]);
            case Flow::rounds:
            case Flow::active_lanes:
                return visit(op.regions[0]);
            case Flow::branch:
                return visit_if(op);
            case Flow::repeated:
                return visit_while(op);
            case Flow::counted:
                return visit_for(op);
            case Flow::straight:
                for (ValueId result : op.results) mark(result, is_each_lanes_own(op));
        }
    }

    // An atomic finds what the one before it left; of a lane array each lane reads its own element, unless all do
    // together what they do to it.
    [[nodiscard]] bool is_each_lanes_own(const Op& op) const {
        const OpRecord& r = record(op.kind);
        const bool together = r.has(Effect::collective);
        return r.has(Effect::nondeterministic) || std::ranges::any_of(op.operands, [&](ValueId v) {
                   return differs(v) || (!together && kernel_.type(v).kind == TypeKind::lane_array);
               });
    }

    void visit_if(const Op& op) {
        for (RegionId region : op.regions) visit(region);
        const bool choice = differs(IfOp(kernel_, op).condition());
        for (size_t i = 0; i < op.results.size(); ++i) {
            mark(op.results[i], choice || differs(yielded(op.regions[0])[i]) || differs(yielded(op.regions[1])[i]));
        }
    }

    void visit_while(const Op& op) {
        bool rounds = differs(yielded(op.regions[0])[0]);
        for (size_t i = 0; i < op.results.size(); ++i) {
            bool carried = rounds || differs(op.operands[i]) || differs(yielded(op.regions[1])[i]);
            mark(kernel_.region(op.regions[0]).args[i], carried);
            mark(kernel_.region(op.regions[1]).args[i], carried);
            mark(op.results[i], carried);
        }
        for (RegionId region : op.regions) visit(region);
    }

    void visit_for(const Op& op) {
        const auto& args = kernel_.region(op.regions[0]).args;
        const ForOp loop(kernel_, op);
        bool rounds = std::ranges::any_of(loop.bounds(), [&](ValueId v) { return differs(v); });
        mark(args[0], rounds);
        for (size_t i = 0; i < op.results.size(); ++i) {
            bool carried = rounds || differs(loop.inits()[i]) || differs(yielded(op.regions[0])[i]);
            mark(args[1 + i], carried);
            mark(op.results[i], carried);
        }
        visit(op.regions[0]);
    }

    const Function& kernel_;
    std::vector<bool> differs_;
    bool changed_ = false;
};

}  // namespace

std::vector<bool> find_differing(const Function& kernel) { return UniformitySolver(kernel).solve(); }

}  // namespace tsr::ir
