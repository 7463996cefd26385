#include "ir/passes/tile/domain.h"

#include <algorithm>

#include "ir/ops/control.h"
#include "ir/ops/effects.h"
#include "ir/passes/tile/launch_slice.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

class GuardFinder {
public:
    explicit GuardFinder(const Function& kernel) : kernel_(kernel) {}

    Guards find() {
        visit(kernel_.body, false);
        if (found_.limits.empty()) found_.limits = std::move(idle_);
        return std::move(found_);
    }

private:
    [[nodiscard]] const Op* producer(ValueId value) const {
        OpId op = kernel_.value(value).op;
        return op.valid() ? &kernel_.op(op) : nullptr;
    }

    [[nodiscard]] bool is_tile(ValueId value) const {
        const Op* op = producer(value);
        if (op && op->kind == OpKind::cast)
            return is_integer(op->attrs.dtype(Attr::type)) && is_tile(CastOp(kernel_, *op).from());
        return op && op->kind == OpKind::tile_id && op->attrs.empty();
    }

    [[nodiscard]] bool is_constant(ValueId value, bool truth) const {
        const Op* op = producer(value);
        return op && op->kind == OpKind::constant && op->attrs.integer(Attr::value) == (truth ? 1 : 0);
    }

    // The limits that hold where `condition` has the given truth.
    void limits(ValueId condition, bool truth, std::vector<ValueId>& out) const {
        const Op* op = producer(condition);
        if (!op) return;
        const auto both = [&] { return BinaryOp(kernel_, *op); };
        switch (op->kind) {
            case OpKind::lt:
                return truth ? compare(both().lhs(), both().rhs(), out) : void();
            case OpKind::gt:
                return truth ? compare(both().rhs(), both().lhs(), out) : void();
            case OpKind::ge:
                return truth ? void() : compare(both().lhs(), both().rhs(), out);
            case OpKind::le:
                return truth ? void() : compare(both().rhs(), both().lhs(), out);
            case OpKind::bit_not:
                return limits(UnaryOp(kernel_, *op).operand(), !truth, out);
            case OpKind::bit_and:
                if (truth) limits(both().lhs(), true, out), limits(both().rhs(), true, out);
                return;
            case OpKind::bit_or:
                if (!truth) limits(both().lhs(), false, out), limits(both().rhs(), false, out);
                return;
            case OpKind::if_:
                return short_circuit(condition, *op, truth, out);
            default:
                return;
        }
    }

    // `a and b` is an `if a {yield b} else {yield false}`; `a or b` an `if a {yield true} else {yield b}`.
    void short_circuit(ValueId condition, const Op& op, bool truth, std::vector<ValueId>& out) const {
        auto yielded = [&](size_t region) {
            return kernel_.op(kernel_.region(op.regions[region]).ops.back()).operands[kernel_.value(condition).number];
        };
        if (is_constant(yielded(truth ? 1 : 0), !truth)) {
            limits(IfOp(kernel_, op).condition(), truth, out);
            limits(yielded(truth ? 0 : 1), truth, out);
        }
    }

    void compare(ValueId tile, ValueId limit, std::vector<ValueId>& out) const {
        if (is_tile(tile) && known_at_launch(kernel_, limit)) out.push_back(limit);
    }

    void visit(RegionId region, bool guarded) {
        for (OpId id : kernel_.region(region).ops) {
            const Op& op = kernel_.op(id);
            if (!guarded && !written_memories(kernel_, op).empty()) found_.every_write = false;
            for (size_t i = 0; i < op.regions.size(); ++i) {
                std::vector<ValueId> here;
                if (op.kind == OpKind::if_) limits(IfOp(kernel_, op).condition(), i == 0, here);
                const Touches does = touches(kernel_, op.regions[i]);
                auto& limits = does.writes.empty() && does.effects.empty() ? idle_ : found_.limits;
                limits.insert(limits.end(), here.begin(), here.end());
                visit(op.regions[i], guarded || !here.empty());
            }
        }
    }

    const Function& kernel_;
    Guards found_;
    std::vector<ValueId> idle_;  // of guards under which nothing is done: those of conditional expressions
};

}  // namespace

Guards find_guards(const Function& kernel) { return GuardFinder(kernel).find(); }

}  // namespace tsr::ir
