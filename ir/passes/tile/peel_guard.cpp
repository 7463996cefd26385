#include "ir/passes/tile/peel_guard.h"

#include <algorithm>

#include "ir/build/builder.h"
#include "ir/ops/control.h"
#include "ir/ops/tile.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

class Peeler {
public:
    Peeler(Function& kernel, OpId lanes) : kernel_(kernel), lanes_(lanes), region_(kernel.op(lanes).regions[0]) {}

    // Peels one guard; true when there may be another inside.
    bool peel() {
        OpId guard = only_effect();
        if (!guard.valid()) return false;
        const Op op = kernel_.op(guard);
        if (op.kind != OpKind::if_ || !op.results.empty() || kernel_.region(op.regions[1]).ops.size() > 1) return false;
        ValueId limit = limit_of(IfOp(kernel_, guard).condition());
        if (!limit.valid()) return false;
        Builder builder = Builder::at(kernel_, lanes_);
        ValueId end = builder.minimum(LanesOp(kernel_, lanes_).upper(0), limit);
        kernel_.op(lanes_).operands[LanesOp::upper_place(0)] = end;
        inline_then(guard, op);
        return true;
    }

private:
    // The one operation of the region that is not pure; invalid when there are more.
    [[nodiscard]] OpId only_effect() const {
        OpId found;
        for (OpId id : kernel_.region(region_).ops) {
            const Op& op = kernel_.op(id);
            if (is_pure(op.kind) || op.kind == OpKind::yield) continue;
            if (found.valid()) return {};
            found = id;
        }
        return found;
    }

    // E, when the condition is `tile < E` with an E from outside the region.
    [[nodiscard]] ValueId limit_of(ValueId condition) const {
        OpId id = kernel_.value(condition).op;
        if (!id.valid()) return {};
        const Op& op = kernel_.op(id);
        if (op.kind != OpKind::lt && op.kind != OpKind::gt) return {};
        const BinaryOp test(kernel_, id);
        ValueId tile = op.kind == OpKind::lt ? test.lhs() : test.rhs();
        ValueId limit = op.kind == OpKind::lt ? test.rhs() : test.lhs();
        OpId from = defining_op(kernel_, limit);
        bool outside = !from.valid() || !stands_below(kernel_, from, lanes_);
        bool good = tile == kernel_.region(region_).args[0] && outside && kernel_.type(limit).elem == DType::index;
        return good ? limit : ValueId{};
    }

    void inline_then(OpId guard, const Op& op) {
        const auto& ops = kernel_.region(region_).ops;
        auto at = static_cast<size_t>(std::ranges::find(ops, guard) - ops.begin());
        std::vector<OpId> inside = kernel_.region(op.regions[0]).ops;
        inside.pop_back();  // the yield
        for (OpId inner : inside) kernel_.remove(inner);
        kernel_.remove(guard);
        for (OpId inner : inside) kernel_.insert(region_, at++, inner);
    }

    Function& kernel_;
    OpId lanes_;
    RegionId region_;
};

}  // namespace

void peel_guard(Function& kernel) {
    for (OpId id : std::vector<OpId>(kernel.region(kernel.body).ops)) {
        const Op& op = kernel.op(id);
        bool domain = op.kind == OpKind::lanes && LanesOp(kernel, id).axes() == 1 &&
                      op.attrs.integer(Attr::over) == static_cast<int64_t>(LanesOver::domain);
        if (!domain) continue;
        Peeler peeler(kernel, id);
        while (peeler.peel()) {
        }
    }
}

}  // namespace tsr::ir
