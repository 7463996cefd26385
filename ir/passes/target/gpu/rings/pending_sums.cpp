#include "ir/passes/target/gpu/rings/pending_sums.h"

#include <unordered_set>

#include <fmt/format.h>

#include "ir/ops/control.h"
#include "ir/ops/register.h"
#include "ir/ops/tile.h"
#include "ir/passes/tile/walk.h"
#include "ir/text/print.h"

namespace tsr::ir {

namespace {

using Sums = std::unordered_set<ValueId>;

// What a loop yields is what its next round is given, and what it gives.
void carry(const Function& kernel, const ForOp& loop, Sums& sums) {
    for (size_t i = 0; i < loop.carried().size(); ++i) {
        if (!sums.contains(loop.next()[i])) continue;
        sums.insert(loop.carried()[i]);
        sums.insert(kernel.op(loop.id).results[i]);
    }
}

// What a branch yields is what the `if` gives.
void carry(const Function& kernel, const IfOp& branch, Sums& sums) {
    for (RegionId region : branch.op().regions) {
        const ValueSpan yields = yielded(kernel, region);
        for (size_t i = 0; i < yields.size(); ++i) {
            if (sums.contains(yields[i])) sums.insert(branch.op().results[i]);
        }
    }
}

bool is_pending(const Function& kernel, OpId id) {
    return kernel.op(id).kind == OpKind::mma && MmaOp(kernel, id).pending();
}

// The accumulator of another pending product.
bool adds_to_it(const Function& kernel, OpId id, size_t operand) {
    return operand == MmaOp::kAccumulator && is_pending(kernel, id);
}

bool waits_for_all(const Function& kernel, OpId id) {
    return kernel.op(id).kind == OpKind::wait_group && WaitOp(kernel, id).left() == 0;
}

// Round a loop, or out of a branch.
bool carries_it(const Function& kernel, OpId id) {
    const OpId around = kernel.region(kernel.op(id).parent).parent;
    if (kernel.op(id).kind != OpKind::yield || !around.valid()) return false;
    const Flow how = flow(kernel.op(around).kind);
    return how == Flow::counted || how == Flow::branch;
}

bool may_take(const Function& kernel, OpId id, size_t operand) {
    return adds_to_it(kernel, id, operand) || waits_for_all(kernel, id) || carries_it(kernel, id);
}

}  // namespace

std::vector<std::string> check_pending_sums(const Function& kernel) {
    Sums sums;
    for (bool more = true; more;) {
        const size_t before = sums.size();
        walk(kernel, kernel.body, [&](OpId id) {
            if (kernel.op(id).kind == OpKind::for_) carry(kernel, ForOp(kernel, id), sums);
            if (kernel.op(id).kind == OpKind::if_) carry(kernel, IfOp(kernel, id), sums);
            if (is_pending(kernel, id)) sums.insert(kernel.op(id).results[0]);
        });
        more = sums.size() != before;
    }
    std::vector<std::string> messages;
    walk(kernel, kernel.body, [&](OpId id) {
        const Op& op = kernel.op(id);
        for (size_t i = 0; i < op.operands.size(); ++i) {
            if (!sums.contains(op.operands[i]) || may_take(kernel, id, i)) continue;
            messages.push_back(fmt::format("{}: takes sums of products that are under way", print_line(kernel, id)));
            return;
        }
    });
    return messages;
}

}  // namespace tsr::ir
