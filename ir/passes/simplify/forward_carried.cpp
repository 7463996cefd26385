#include "ir/ops/control.h"
#include "ir/passes/simplify/rewrite.h"
#include "ir/passes/simplify/simplify.h"

namespace tsr::ir {

namespace {

class Forwarder {
public:
    explicit Forwarder(Function& function) : fn_(function), replaced_(function) {}

    bool run() {
        for_each_op(fn_, [&](OpId id) {
            const OpKind kind = fn_.op(id).kind;
            if (kind == OpKind::for_) {
                ForOp loop(fn_, id);
                carried(id, loop.inits(), loop.next(), {loop.carried()});
            } else if (kind == OpKind::while_) {
                WhileOp loop(fn_, id);
                carried(id, loop.inits(), loop.next(), {loop.carried(), loop.tested()});
            } else if (kind == OpKind::if_) {
                branches(id);
            }
        });
        for (const auto& [op, drop] : dropped_) drop_positions(fn_, op, drop);
        replaced_.apply();
        return replaced_.any();
    }

private:
    // `args[0]` is what the body sees.
    void carried(OpId id, ValueSpan inits, ValueSpan next, const std::vector<ValueSpan>& args) {
        std::vector<bool> drop(inits.size());
        bool any = false;
        for (size_t i = 0; i < inits.size(); ++i) {
            const ValueId yields = replaced_.of(next[i]);
            drop[i] = yields == args[0][i] || yields == replaced_.of(inits[i]);
            if (!drop[i]) continue;
            any = true;
            for (ValueSpan seen : args) replaced_.add(seen[i], inits[i]);
            replaced_.add(fn_.op(id).results[i], inits[i]);
        }
        if (any) dropped_.emplace_back(id, std::move(drop));
    }

    // What both branches yield is visible in both: it is defined outside of them.
    void branches(OpId id) {
        IfOp op(fn_, id);
        const ValueSpan then = yielded(fn_, op.then());
        const ValueSpan otherwise = yielded(fn_, op.otherwise());
        std::vector<bool> drop(then.size());
        bool any = false;
        for (size_t i = 0; i < then.size(); ++i) {
            drop[i] = replaced_.of(then[i]) == replaced_.of(otherwise[i]);
            if (!drop[i]) continue;
            any = true;
            replaced_.add(op.results()[i], then[i]);
        }
        if (any) dropped_.emplace_back(id, std::move(drop));
    }

    Function& fn_;
    Replacements replaced_;
    std::vector<std::pair<OpId, std::vector<bool>>> dropped_;
};

}  // namespace

bool forward_carried(Function& function) { return Forwarder(function).run(); }

}  // namespace tsr::ir
