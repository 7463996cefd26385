#include "ir/eval/expanded.h"

#include <algorithm>

#include "ir/ops/record.h"
#include "ir/passes/math/expand_math.h"

namespace tsr::ir::eval {

namespace {

void watch_results(Function& function) {
    const size_t count = function.op_count();
    for (size_t i = 0; i < count; ++i) {
        const Op& op = function.op(OpId(i));
        if (!op.parent.valid() || record(op.kind).formula != Formula::of_floats) continue;
        std::vector<ValueId> watched = op.operands;
        watched.push_back(op.results[0]);
        const RegionId parent = op.parent;
        const OpId marker = function.add_op(OpKind::print, op.place, std::move(watched), {},
                                            {{Attr::text, std::string(name(op.kind))}, {Attr::watched, kFlag}});
        const auto& ops = function.region(parent).ops;
        const auto at = std::find(ops.begin(), ops.end(), OpId(i)) - ops.begin();
        function.insert(parent, static_cast<size_t>(at) + 1, marker);
    }
}

}  // namespace

Expanded with_math_expanded(const Function& function, bool watch) {
    const auto is_left = [&](size_t i) {
        const Op& op = function.op(OpId(i));
        return op.parent.valid() && record(op.kind).formula == Formula::of_floats;
    };
    size_t first = 0;
    while (first < function.op_count() && !is_left(first)) ++first;
    if (first == function.op_count()) return {nullptr, first};
    auto copy = std::make_shared<Function>(function);
    if (watch) watch_results(*copy);
    const size_t written = copy->op_count();
    expand_math(*copy);
    return {std::move(copy), written};
}

}  // namespace tsr::ir::eval
