#include "ir/passes/simplify/rewrite.h"

#include "ir/ops/control.h"

namespace tsr::ir {

namespace {

// Erases from[first + i] where drop[i].
void erase_from(std::vector<ValueId>& from, size_t first, const std::vector<bool>& drop) {
    size_t kept = first;
    for (size_t i = 0; i < drop.size(); ++i) {
        if (!drop[i]) from[kept++] = from[first + i];
    }
    from.erase(from.begin() + static_cast<std::ptrdiff_t>(kept),
               from.begin() + static_cast<std::ptrdiff_t>(first + drop.size()));
}

void number(Function& function, const std::vector<ValueId>& values) {
    for (size_t i = 0; i < values.size(); ++i) function.value(values[i]).number = static_cast<uint32_t>(i);
}

}  // namespace

void drop_positions(Function& function, OpId id, const std::vector<bool>& drop) {
    Op& op = function.op(id);
    const bool is_for = op.kind == OpKind::for_;
    const bool is_while = op.kind == OpKind::while_;
    if (is_for || is_while) erase_from(op.operands, is_for ? ForOp::kFirstInit : 0, drop);
    for (size_t r = 0; r < op.regions.size(); ++r) {
        Region& region = function.region(op.regions[r]);
        if (is_for || is_while) {
            erase_from(region.args, is_for ? ForOp::kFirstCarried : 0, drop);
            number(function, region.args);
        }
        const bool is_test = is_while && r == 0;
        if (!is_test) erase_from(function.op(region.ops.back()).operands, 0, drop);
    }
    erase_from(op.results, 0, drop);
    number(function, op.results);
}

}  // namespace tsr::ir
