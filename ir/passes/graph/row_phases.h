// The order in which a kernel does a row of a fused function: what needs the sum of the row waits for it.
#pragma once

#include <map>
#include <vector>

#include "ir/passes/graph/fused_axes.h"

namespace tsr::ir {

struct RowPhase {
    std::vector<OpId> of_row;     // operations on sums of earlier phases, once per row, in the order of the text
    std::vector<OpId> sums;       // `reduce` operations whose elements are known then
    std::vector<ValueId> stores;  // results along the row that are known then
};

class RowPhases {
public:
    std::vector<RowPhase> all;

    // Whether the operation, or a value that it gives, has all axes of the space; else it belongs to the row. A
    // function that combines nothing has no rows: nothing is whole.
    [[nodiscard]] bool is_whole(OpId op) const { return whole_.contains(op) && whole_.at(op); }
    [[nodiscard]] bool is_whole(ValueId value) const;
    // In which phase an operation's result is made.
    [[nodiscard]] size_t phase_of(ValueId value) const { return phase_.at(fused_->value(value).op); }
    // Given by an operation that computes.
    [[nodiscard]] bool is_computed(ValueId value) const;

private:
    friend RowPhases row_phases(const Function& fused, const FusedAxes& axes);
    const Function* fused_ = nullptr;
    std::map<OpId, bool> whole_;
    std::map<OpId, size_t> phase_;
};

// Refers to the function.
RowPhases row_phases(const Function& fused, const FusedAxes& axes);

}  // namespace tsr::ir
