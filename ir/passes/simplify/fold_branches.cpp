#include "ir/ops/control.h"
#include "ir/passes/simplify/rewrite.h"
#include "ir/passes/simplify/simplify.h"

namespace tsr::ir {

namespace {

class Brancher {
public:
    explicit Brancher(Function& function) : fn_(function), replaced_(function) {}

    bool run() {
        for (RegionId root : roots(fn_)) region(root);
        replaced_.apply();
        return changed_;
    }

private:
    [[nodiscard]] std::optional<int64_t> constant(ValueId v) const {
        const std::optional<OpId> op = defined_by(fn_, v, OpKind::constant);
        if (!op || !ConstantOp(fn_, *op).is_whole()) return std::nullopt;
        return ConstantOp(fn_, *op).integer();
    }

    void region(RegionId id) {
        for (size_t i = 0; i < fn_.region(id).ops.size();) {
            const OpId op = fn_.region(id).ops[i];
            if (operation(op, i)) {
                changed_ = true;
                continue;  // what stands here now has not been looked at
            }
            for (RegionId inner : fn_.op(op).regions) region(inner);
            ++i;
        }
    }

    // True when the operation is gone.
    bool operation(OpId id, size_t at) {
        const OpKind kind = fn_.op(id).kind;
        if (kind == OpKind::if_) return branch(id, at);
        if (kind == OpKind::for_) return loop(id);
        if (kind == OpKind::while_) return never(id);
        if (kind == OpKind::assert_ && constant(AssertOp(fn_, id).condition()) == 1) {
            fn_.remove(id);
            return true;
        }
        return false;
    }

    void replace_results(OpId id, ValueSpan by) {
        for (size_t i = 0; i < by.size(); ++i) replaced_.add(fn_.op(id).results[i], by[i]);
    }

    // The chosen region's operations take the place of the `if`.
    bool branch(OpId id, size_t at) {
        IfOp op(fn_, id);
        const std::optional<int64_t> condition = constant(op.condition());
        if (!condition) return false;
        const RegionId chosen = *condition != 0 ? op.then() : op.otherwise();
        replace_results(id, yielded(fn_, chosen));
        const RegionId around = fn_.op(id).parent;
        fn_.remove(id);
        std::vector<OpId> moved = fn_.region(chosen).ops;
        moved.pop_back();  // the yield
        for (OpId inner : moved) {
            fn_.remove(inner);
            fn_.insert(around, at++, inner);
        }
        return true;
    }

    // A loop without a round gives its initial values. Loops that may be spread over groups or tiles stay: what they
    // are is decided by their text.
    bool loop(OpId id) {
        ForOp op(fn_, id);
        if (op.loop() != LoopKind::in_order) return false;
        const auto lower = constant(op.lower());
        const auto upper = constant(op.upper());
        const auto step = constant(op.step());
        const bool still = step == 0;
        if (!still && (!lower || !upper || !step)) return false;
        const bool rounds = !still && (*step > 0 ? below(op, *lower, *upper) : below(op, *upper, *lower));
        if (rounds) return false;
        replace_results(id, op.inits());
        fn_.remove(id);
        return true;
    }

    [[nodiscard]] bool below(ForOp op, int64_t a, int64_t b) const {
        if (is_signed(fn_.type(op.lower()).elem)) return a < b;
        return static_cast<uint64_t>(a) < static_cast<uint64_t>(b);
    }

    // A `while` whose test is constantly false; the test itself may do nothing.
    bool never(OpId id) {
        WhileOp op(fn_, id);
        if (constant(op.condition()) != 0 || !touches(fn_, op.test()).removable()) return false;
        replace_results(id, op.inits());
        fn_.remove(id);
        return true;
    }

    Function& fn_;
    Replacements replaced_;
    bool changed_ = false;
};

}  // namespace

bool fold_branches(Function& function) { return Brancher(function).run(); }

}  // namespace tsr::ir
