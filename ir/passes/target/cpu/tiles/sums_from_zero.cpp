#include "ir/passes/target/cpu/tiles/sums_from_zero.h"

#include <algorithm>

#include "ir/ops/control.h"
#include "ir/ops/register.h"

namespace tsr::ir {

std::optional<OpId> sum_from_zero(const Function& kernel, const Uses& uses, OpId loop, size_t number) {
    const ForOp op(kernel, loop);
    const auto step = constant_integer(kernel, op.step());
    const ValueId zeros = op.inits()[number];
    const OpId made = kernel.value(zeros).op;
    if (!step || *step <= 0 || !is_tile(kernel, zeros) || !is_zero(kernel, zeros)) return std::nullopt;
    if (kernel.op(made).parent != kernel.op(loop).parent || uses.of(zeros).size() != 1) return std::nullopt;
    const ValueId carried = op.carried()[number];
    if (uses.of(carried).size() != 1) return std::nullopt;
    const OpId user = uses.of(carried).front();
    if (!is_product(kernel.op(user)) || kernel.op(user).parent != op.body()) return std::nullopt;
    const MmaOp product(kernel, user);
    const ValueId next = op.next()[number];
    const bool carries_on = product.accumulator() == carried && product.result() == next && uses.of(next).size() == 1;
    return carries_on ? std::optional(user) : std::nullopt;
}

std::optional<OpId> loop_from_zeros(const Function& kernel, const Uses& uses, ValueId zeros) {
    if (uses.of(zeros).size() != 1) return std::nullopt;
    const OpId user = uses.of(zeros).front();
    if (kernel.op(user).kind != OpKind::for_) return std::nullopt;
    const auto inits = ForOp(kernel, user).inits();
    const auto number = static_cast<size_t>(std::ranges::find(inits, zeros) - inits.begin());
    if (number == inits.size() || !sum_from_zero(kernel, uses, user, number)) return std::nullopt;
    return user;
}

std::optional<OpId> loop_of_sum(const Function& kernel, const Uses& uses, OpId product) {
    const OpId around = kernel.region(kernel.op(product).parent).parent;
    if (!around.valid() || kernel.op(around).kind != OpKind::for_) return std::nullopt;
    for (size_t i = 0; i < ForOp(kernel, around).inits().size(); ++i) {
        if (sum_from_zero(kernel, uses, around, i) == product) return around;
    }
    return std::nullopt;
}

}  // namespace tsr::ir
