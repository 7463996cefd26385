#include "ir/passes/graph/kept_values.h"

#include <algorithm>

#include "ir/ops/handle.h"

namespace tsr::ir {

namespace {

// Along the row: what a sum gives is another matter.
bool is_made_of(const Function& fused, ValueId whole, ValueId part) {
    if (whole == part) return true;
    const OpId id = fused.value(whole).op;
    if (!id.valid() || combines(fused, id)) return false;
    return std::ranges::any_of(fused.op(id).operands,
                               [&](ValueId operand) { return is_made_of(fused, operand, part); });
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
            if (phases.phase_of(v) >= phases.phase_of(results[i]) || !is_made_of(fused, results[i], v)) continue;
            kept[v] = {.phase = phases.phase_of(v), .result = i};
            break;
        }
    }
    return kept;
}

}  // namespace tsr::ir
