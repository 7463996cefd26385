#include "ir/passes/target/gpu/rings/product_ahead.h"

#include <algorithm>

#include "ir/ops/control.h"
#include "ir/ops/register.h"
#include "ir/passes/target/cpu/tiles/uses.h"
#include "ir/passes/target/gpu/rings/slot_products.h"
#include "ir/passes/target/gpu/tiles/groups.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

// Of a thread's 224 and more, for sums and operands of products: ptxas then keeps them all without spills, and one
// product beside the code of the other round.
constexpr int64_t kMostHeld = 184;

class ProductFinder {
public:
    ProductFinder(const Function& kernel, OpId loop, std::span<const ValueId> buffers, const GpuMachine& machine)
        : kernel_(kernel), loop_(kernel, loop), buffers_(buffers), machine_(machine) {}

    std::optional<OpId> run() const {
        std::optional<OpId> first;
        int64_t registers = 0;
        walk(kernel_, loop_.body(), [&](OpId id) {
            if (kernel_.op(id).kind != OpKind::mma) return;
            registers += sums(id) + held(id);
            if (!first && suits(id)) first = id;
        });
        if (!first || registers + sums(*first) > kMostHeld) return std::nullopt;
        return first;
    }

private:
    [[nodiscard]] bool in_slot(ValueId value) const { return ir::in_slot(kernel_, buffers_, value); }
    [[nodiscard]] bool before_loop(ValueId value) const {
        const OpId made = kernel_.value(value).op;
        return is_tile(kernel_, value) && made.valid() && !stands_below(kernel_, made, loop_.id);
    }

    [[nodiscard]] GroupOperand group(const MmaOp& op) const {
        return group_operand(kernel_, op, kernel_.plan->gpu().threads / kWarp, machine_);
    }

    [[nodiscard]] bool suits(OpId id) const {
        const MmaOp op(kernel_, id);
        return kernel_.op(id).parent == loop_.body() && keeps_sums(kernel_, op) && !op.accumulator() &&
               in_slot(op.b()) && (in_slot(op.a()) || before_loop(op.a())) && group(op) != GroupOperand::none;
    }

    // Registers of a thread.
    [[nodiscard]] int64_t sums(OpId id) const {
        return element_count(kernel_.type(kernel_.op(id).results[0])) / kernel_.plan->gpu().threads;
    }
    [[nodiscard]] int64_t held(OpId id) const {
        const MmaOp op(kernel_, id);
        const Type& a = kernel_.type(op.a());
        if (!is_tile(kernel_, op.a())) return 0;
        return element_count(a) * bits(a.elem) / 32 / kernel_.plan->gpu().threads;
    }

    const Function& kernel_;
    ForOp loop_;
    std::span<const ValueId> buffers_;
    const GpuMachine& machine_;
};

}  // namespace

std::optional<OpId> product_ahead(const Function& kernel, OpId loop, std::span<const ValueId> buffers,
                                  const GpuMachine& machine) {
    return ProductFinder(kernel, loop, buffers, machine).run();
}

}  // namespace tsr::ir
