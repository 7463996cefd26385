// Which blocks bring together what they multiply.
#pragma once

#include <optional>
#include <string>

#include "ir/core/function.h"
#include "ir/machine/gpu.h"

namespace tsr::ir {

inline constexpr int64_t kMostOfCluster = 2;  // blocks; more of them wait for each other longer than they save

// Chooses the cluster of a kernel whose plan has its copies, unless it is given, and says why in the plan's reasons.
void choose_cluster(Function& kernel, const GpuMachine& machine, const GpuPlanFields& fields);

// What keeps blocks from forming the clusters of the plan.
std::optional<std::string> cluster_fault(const Function& kernel, const GpuMachine& machine, const Plan& plan);

// Whether the blocks of a cluster of this axis of the grid (-1: there is none), load the same in a loop of the kernel,
// each a half of it.
bool is_shared(const Function& kernel, OpId load, int64_t axis);

// The axis of the grid along which blocks of the plan's cluster follow each other; -1: there is none.
int64_t cluster_axis(const GpuPlan& plan);

// The boxes of a swizzled buffer of two axes, each by its first row and column, those of the first half first; nothing
// where they have no halves. `rows` and `columns`: of one box.
struct BoxHalves {
    int64_t rows = 0, columns = 0;
    std::vector<std::pair<int64_t, int64_t>> starts;
};
std::optional<BoxHalves> box_halves(int64_t rows, int64_t columns, int64_t panel);

}  // namespace tsr::ir
