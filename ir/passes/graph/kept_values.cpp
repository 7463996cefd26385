#include "ir/passes/graph/kept_values.h"

#include <algorithm>
#include <set>

#include "ir/ops/handle.h"

namespace tsr::ir {

namespace {

// The value and what is made of it along the row: what a sum gives is another matter.
std::set<ValueId> made_of(const Function& fused, ValueId part) {
    std::set<ValueId> made{part};
    for (OpId id : fused.region(fused.body).ops) {
        const Op& op = fused.op(id);
        if (combines(fused, id) || op.results.empty()) continue;
        if (std::ranges::any_of(op.operands, [&](ValueId operand) { return made.contains(operand); }))
            made.insert(op.results.begin(), op.results.end());
    }
    return made;
}

// Whether a phase behind this one takes one of the values.
bool is_taken_behind(const Function& fused, const RowPhases& phases, const std::set<ValueId>& values, size_t phase) {
    return std::ranges::any_of(computed(fused), [&](OpId id) {
        const Op& op = fused.op(id);
        return phases.phase_of(op.results[0]) > phase &&
               std::ranges::any_of(op.operands, [&](ValueId operand) { return values.contains(operand); });
    });
}

}  // namespace

KeptValues kept_values(const Function& fused, const RowPhases& phases) {
    KeptValues kept;
    const ValueSpan results = yielded(fused, fused.body);
    for (size_t i = 0; i < results.size(); ++i) {
        if (!phases.is_whole(results[i])) continue;
        for (OpId id : computed(fused)) {
            const ValueId v = fused.op(id).results[0];
            const bool dear = is_library_function(fused.op(id).kind) && phases.is_whole(v);
            if (!dear || fused.type(v).elem != fused.type(results[i]).elem || kept.contains(v)) continue;
            const size_t stored_over = phases.phase_of(results[i]);
            if (phases.phase_of(v) >= stored_over) continue;
            const std::set<ValueId> made = made_of(fused, v);
            if (!made.contains(results[i]) || is_taken_behind(fused, phases, made, stored_over)) continue;
            kept[v] = {.phase = phases.phase_of(v), .result = i};
            break;
        }
    }
    return kept;
}

}  // namespace tsr::ir
