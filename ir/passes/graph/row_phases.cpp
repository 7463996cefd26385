#include "ir/passes/graph/row_phases.h"

#include <algorithm>

#include "ir/ops/handle.h"
#include "ir/passes/graph/axis_map.h"

namespace tsr::ir {

bool RowPhases::is_whole(ValueId value) const {
    const OpId op = fused_->value(value).op;
    // What a `reduce` gives belongs to the row, though it goes along it.
    return op.valid() && is_whole(op) && !combines(*fused_, op);
}

bool RowPhases::is_computed(ValueId value) const {
    const OpId op = fused_->value(value).op;
    return op.valid() && whole_.contains(op);
}

RowPhases row_phases(const Function& fused, const FusedAxes& axes) {
    RowPhases out;
    out.fused_ = &fused;
    std::map<OpId, size_t> phase_of;  // of a sum: the phase behind the one that makes it
    const ValueSpan results = yielded(fused, fused.body);
    const auto phase = [&](size_t number) -> RowPhase& {
        if (out.all.size() <= number) out.all.resize(number + 1);
        return out.all[number];
    };
    for (OpId id : computed(fused)) {
        const Op& op = fused.op(id);
        size_t number = 0;
        for (const AxisMap& source : sources_of(fused, id)) {
            const auto from = phase_of.find(fused.value(source.base).op);
            if (from != phase_of.end()) number = std::max(number, from->second);
        }
        const Type& type = computed_type(fused, id);
        const bool whole = axes.axis && long_extents(type).size() == axes.joined.size();
        out.whole_[id] = whole;
        out.phase_[id] = number;
        const bool sum = combines(fused, id);
        phase_of[id] = number + (sum ? 1 : 0);
        if (!axes.axis) continue;
        if (sum) {
            phase(number).sums.push_back(id);
        } else if (!whole) {
            phase(number).of_row.push_back(id);
        } else if (std::ranges::count(results, op.results[0]) > 0) {
            phase(number).stores.push_back(op.results[0]);
        }
    }
    return out;
}

}  // namespace tsr::ir
