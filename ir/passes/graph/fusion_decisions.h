// Each decision about the fusions of a graph, with what it gains: what `--explain=fusion` and schedules print.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/passes/graph/explain_costs.h"

namespace tsr::ir {

struct FusionDecision {
    size_t from = 0, to = 0;      // of `FormedFusions::fused`; the same: in one kernel
    std::vector<ValueId> values;  // that `to` takes of `from`, tensors or not; one where the two are the same
    std::vector<OpId> takers;     // which take them; of what is apart the first one
    std::string why;              // of what is apart: the rule that keeps it so
    bool must = false;            // of what is apart: no order changes it
    Dim bytes_less;               // read and written in one kernel, than in two
    std::optional<double> one;    // seconds in one kernel, were it possible
    std::optional<double> two;    // in two, between which the values are stored
    [[nodiscard]] bool fused() const { return from == to; }
};

// Of each value that a fusion computes and takes itself, of each operation that stands in a fusion and takes nothing
// of it, and of each two fusions of which one takes values of the other. Sorted by `to`, what is fused first. The other
// possibility of a value in a fusion: what follows from it is done by a second kernel.
std::vector<FusionDecision> fusion_decisions(const Function& graph, const FormedFusions& formed,
                                             const GpuMachine& machine);

}  // namespace tsr::ir
