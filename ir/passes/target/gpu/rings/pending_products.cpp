#include "ir/passes/target/gpu/rings/pending_products.h"

#include <algorithm>

#include "ir/ops/control.h"
#include "ir/ops/register.h"
#include "ir/passes/target/cpu/tiles/uses.h"
#include "ir/passes/target/gpu/rings/slot_products.h"
#include "ir/passes/target/gpu/tiles/groups.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

constexpr size_t kMostOfRound = 4;

class Chains {
public:
    Chains(const Function& kernel, OpId loop, std::span<const ValueId> buffers, const GpuMachine& machine)
        : kernel_(kernel), loop_(kernel, loop), buffers_(buffers), machine_(machine), uses_(kernel) {}

    std::vector<OpId> run() const {
        std::vector<OpId> all, chained;
        walk(kernel_, loop_.body(), [&](OpId id) {
            if (is_product(kernel_.op(id))) all.push_back(id);
        });
        if (all.empty() || all.size() > kMostOfRound || !std::ranges::all_of(all, [&](OpId id) { return suits(id); }))
            return {};
        for (size_t i = 0; i < loop_.next().size(); ++i) follow(i, chained);
        return chained.size() == all.size() ? all : std::vector<OpId>{};
    }

private:
    [[nodiscard]] bool in_slot(ValueId value) const { return ir::in_slot(kernel_, buffers_, value); }

    [[nodiscard]] bool suits(OpId id) const {
        if (kernel_.op(id).kind != OpKind::mma || kernel_.op(id).parent != loop_.body()) return false;
        const MmaOp op(kernel_, id);
        return keeps_sums(kernel_, op) && op.accumulator() && in_slot(op.a()) && in_slot(op.b()) &&
               group_operand(kernel_, op, kernel_.plan->gpu().threads / kWarp, machine_) == GroupOperand::memory;
    }

    [[nodiscard]] bool used_once(ValueId value) const { return uses_.of(value).size() == 1; }

    // From what a round yields back to what it was given.
    void follow(size_t carried, std::vector<OpId>& chained) const {
        std::vector<OpId> found;
        ValueId at = loop_.next()[carried];
        while (at != loop_.carried()[carried]) {
            const OpId made = kernel_.value(at).op;
            if (!made.valid() || kernel_.op(made).kind != OpKind::mma || !used_once(at)) return;
            const auto before = MmaOp(kernel_, made).accumulator();
            if (!before) return;
            found.push_back(made);
            at = *before;
        }
        if (used_once(at)) chained.insert(chained.end(), found.begin(), found.end());
    }

    const Function& kernel_;
    ForOp loop_;
    std::span<const ValueId> buffers_;
    const GpuMachine& machine_;
    Uses uses_;
};

}  // namespace

std::vector<OpId> pending_products(const Function& kernel, OpId loop, std::span<const ValueId> buffers,
                                   const GpuMachine& machine) {
    return Chains(kernel, loop, buffers, machine).run();
}

}  // namespace tsr::ir
