#include "ir/passes/target/gpu/rings/product_turns.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "ir/ops/control.h"
#include "ir/ops/register.h"
#include "ir/passes/target/gpu/rings/choose_producers.h"
#include "ir/passes/target/gpu/rings/slot_products.h"
#include "ir/passes/target/gpu/tiles/groups.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

constexpr int64_t kLeastColumns = 128;  // of the first product, in a pipeline of two stages

int64_t columns(const Function& kernel, OpId product) {
    return kernel.type(kernel.op(product).results[0]).shape[1].constant_value().value_or(0);
}

bool by_groups(const Function& kernel, OpId id, const GpuMachine& machine) {
    const MmaOp op(kernel, id);
    const int64_t warps = kernel.plan->gpu().threads / kWarp;
    return keeps_sums(kernel, op) && group_operand(kernel, op, warps, machine) != GroupOperand::none;
}

// Whether a value of the region comes from another one.
bool comes_from(const Function& kernel, RegionId region, ValueId origin, ValueId value) {
    std::unordered_set<ValueId> found{origin};
    walk(kernel, region, [&](OpId id) {
        const Op& op = kernel.op(id);
        if (std::ranges::any_of(op.operands, [&](ValueId v) { return found.contains(v); }))
            found.insert(op.results.begin(), op.results.end());
    });
    return found.contains(value);
}

}  // namespace

std::optional<ProductTurns> product_turns(const Function& kernel, OpId loop, int64_t stages,
                                          const GpuMachine& machine) {
    if (!shares_registers(kernel.plan->gpu())) return std::nullopt;
    const RegionId body = ForOp(kernel, loop).body();
    std::vector<OpId> products;
    walk(kernel, body, [&](OpId id) {
        if (kernel.op(id).kind == OpKind::mma) products.push_back(id);
    });
    const auto suits = [&](OpId id) { return kernel.op(id).parent == body && by_groups(kernel, id, machine); };
    if (products.size() != 2 || !std::ranges::all_of(products, suits)) return std::nullopt;
    if (stages < 3 && columns(kernel, products[0]) < kLeastColumns) return std::nullopt;
    const ValueId first = kernel.op(products[0]).results[0], factor = MmaOp(kernel, products[1]).a();
    if (factor == first || !comes_from(kernel, body, first, factor)) return std::nullopt;
    return ProductTurns{products[0], products[1]};
}

}  // namespace tsr::ir
