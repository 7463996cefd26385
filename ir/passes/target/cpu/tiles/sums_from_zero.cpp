#include "ir/passes/target/cpu/tiles/sums_from_zero.h"

#include <algorithm>

#include "ir/ops/control.h"
#include "ir/ops/register.h"

namespace tsr::ir {

std::optional<OpId> sum_from_zero(const Function& kernel, const Uses& uses, LoopSum sum) {
    const ForOp op(kernel, sum.loop);
    const auto step = constant_integer(kernel, op.step());
    const ValueId zeros = op.inits()[sum.number];
    const OpId made = kernel.value(zeros).op;
    if (!step || *step <= 0 || !is_tile(kernel, zeros) || !is_zero(kernel, zeros)) return std::nullopt;
    if (kernel.op(made).parent != op.op().parent || uses.of(zeros).size() != 1) return std::nullopt;
    const ValueId carried = op.carried()[sum.number];
    if (uses.of(carried).size() != 1) return std::nullopt;
    const OpId user = uses.of(carried).front();
    if (!is_product(kernel.op(user)) || kernel.op(user).parent != op.body()) return std::nullopt;
    const MmaOp product(kernel, user);
    const ValueId next = op.next()[sum.number];
    const bool carries_on = product.accumulator() == carried && product.result() == next && uses.of(next).size() == 1;
    return carries_on ? std::optional(user) : std::nullopt;
}

std::optional<LoopSum> sum_of_zeros(const Function& kernel, const Uses& uses, ValueId zeros) {
    if (uses.of(zeros).size() != 1) return std::nullopt;
    const OpId user = uses.of(zeros).front();
    if (kernel.op(user).kind != OpKind::for_) return std::nullopt;
    const auto inits = ForOp(kernel, user).inits();
    const LoopSum sum{user, static_cast<size_t>(std::ranges::find(inits, zeros) - inits.begin())};
    return sum.number < inits.size() && sum_from_zero(kernel, uses, sum) ? std::optional(sum) : std::nullopt;
}

std::optional<LoopSum> sum_of_product(const Function& kernel, const Uses& uses, OpId product) {
    const OpId around = kernel.region(kernel.op(product).parent).parent;
    if (!around.valid() || kernel.op(around).kind != OpKind::for_) return std::nullopt;
    for (size_t i = 0; i < ForOp(kernel, around).inits().size(); ++i) {
        if (sum_from_zero(kernel, uses, {around, i}) == product) return LoopSum{around, i};
    }
    return std::nullopt;
}

std::optional<OpId> store_of_sum(const Function& kernel, const Uses& uses, LoopSum sum) {
    const ValueId result = kernel.op(sum.loop).results[sum.number];
    if (uses.of(result).size() != 1) return std::nullopt;
    const OpId user = uses.of(result).front();
    if (kernel.op(user).kind != OpKind::store_tile || kernel.op(user).parent != kernel.op(sum.loop).parent)
        return std::nullopt;
    const TileViewOp view(kernel, user);
    const Type& memory = kernel.type(view.memory());
    const bool whole = memory.kind == TypeKind::tensor && memory.elem == kernel.type(result).elem &&
                       uses.of(view.memory()).size() == 1;
    const bool rows = view.axes().size() == 2 && view.axes()[1] + 1 == static_cast<int64_t>(memory.rank()) &&
                      view.axes()[0] < view.axes()[1];
    return whole && rows ? std::optional(user) : std::nullopt;
}

}  // namespace tsr::ir
