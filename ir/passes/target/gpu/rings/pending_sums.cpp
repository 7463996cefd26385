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

bool may_take(const Function& kernel, OpId id, size_t operand) {
    const Op& op = kernel.op(id);
    switch (op.kind) {
        case OpKind::mma:
            return operand == 2 && MmaOp(kernel, id).pending();
        case OpKind::wait_group:
            return WaitOp(kernel, id).left() == 0;
        case OpKind::yield: {
            const OpId around = kernel.region(op.parent).parent;
            return around.valid() && (kernel.op(around).kind == OpKind::for_ || kernel.op(around).kind == OpKind::if_);
        }
        default:
            return false;
    }
}

}  // namespace

std::vector<std::string> check_pending_sums(const Function& kernel) {
    Sums sums;
    for (bool more = true; more;) {
        const size_t before = sums.size();
        walk(kernel, kernel.body, [&](OpId id) {
            if (kernel.op(id).kind == OpKind::for_) carry(kernel, ForOp(kernel, id), sums);
            if (kernel.op(id).kind == OpKind::if_) carry(kernel, IfOp(kernel, id), sums);
            if (kernel.op(id).kind == OpKind::mma && MmaOp(kernel, id).pending()) sums.insert(kernel.op(id).results[0]);
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
