// Plans that can not be: what no pass could make code by.
#include <algorithm>

#include <fmt/format.h>

#include "ir/passes/target/cpu/choose_plan.h"
#include "ir/passes/target/cpu/single_lanes.h"
#include "ir/passes/target/cpu/tiles/split_k.h"
#include "ir/passes/target/cpu/tiles/uses.h"
#include "ir/passes/target/cpu/tiles/widen_products.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

constexpr int64_t kMostLanes = 64;
constexpr int64_t kMostInterleave = 16;
constexpr int64_t kMostDepth = 8192;
constexpr int64_t kMostTask = int64_t{1} << 31;

bool within(int64_t value, int64_t least, int64_t most) { return value >= least && value <= most; }

std::optional<PlanFault> vector_fault(const Function& kernel, const CpuPlan& plan, int64_t task) {
    const bool power = plan.lanes > 0 && (plan.lanes & (plan.lanes - 1)) == 0;
    if (plan.lanes == 1) {
        if (!can_do_single_lanes(kernel))
            return PlanFault{"lanes", "what tiles do together, and vectors of a tile, take more than one lane"};
        if (plan.interleave != 1)
            return PlanFault{"lanes",
                             fmt::format("{} at a time: single lanes are done one at a time", plan.interleave)};
    } else if (!power || !within(plan.lanes, 4, kMostLanes)) {
        return PlanFault{"lanes", fmt::format("{} is no power of two from 4 to {}", plan.lanes, kMostLanes)};
    }
    if (!within(plan.interleave, 1, kMostInterleave))
        return PlanFault{"lanes",
                         fmt::format("{} vectors in flight: it takes 1 to {}", plan.interleave, kMostInterleave)};
    if (!within(task, 1, kMostTask)) return PlanFault{"task", fmt::format("{} is not from 1 to 2^31", task)};
    const int64_t grain = plan.lanes * plan.interleave;
    if ((kernel.kernel.flat || kernel.kernel.elements) && task % grain != 0)
        return PlanFault{"task", fmt::format("{} is no multiple of {} x {}, by which the tiles of a task are done",
                                             task, plan.lanes, plan.interleave)};
    return std::nullopt;
}

std::optional<PlanFault> panel_fault(const CpuMachine& machine, const CpuPlan& plan, const ProductPanel& panel) {
    const auto fault = [&](const std::string& why) { return PlanFault{"panel", why, panel}; };
    if (!within(panel.rows, 1, panel.tile_rows))
        return fault(fmt::format("{} rows of a tile of {}", panel.rows, panel.tile_rows));
    if (!within(panel.vectors, 1, machine.registers))
        return fault(fmt::format("{} vectors: {} has {} registers", panel.vectors, machine.name, machine.registers));
    const int64_t of_lanes = std::max<int64_t>(plan.lanes / machine.lanes, 1);
    const int64_t needed = (panel.rows * panel.vectors + panel.vectors + 1) * of_lanes;
    if (needed > machine.registers)
        return fault(fmt::format("{} vector registers are needed: {} has {}", needed, machine.name, machine.registers));
    return std::nullopt;
}

std::optional<PlanFault> split_fault(const Function& kernel, const CpuPlan& plan) {
    if (plan.split == 0) return std::nullopt;
    const int64_t step = splits_k(kernel).value_or(1);
    const int64_t merged = std::max(plan.depth / step, int64_t{1}) * step;
    if (plan.split % merged != 0)
        return PlanFault{"split", fmt::format("{} is no multiple of {}, the steps over k", plan.split, merged)};
    if (plan.pack) return PlanFault{"pack", "operands of split sums are not packed"};
    if (plan.most_groups < 1) return PlanFault{"groups", "it takes a group at least"};
    return std::nullopt;
}

std::optional<PlanFault> product_fault(const Function& kernel, const CpuMachine& machine, const CpuPlan& plan) {
    std::vector<ProductPanel> tiles;
    bool any = false;
    walk(kernel, kernel.body, [&](OpId id) {
        if (kernel.op(id).kind != OpKind::mma) return;
        any = true;
        const Type& type = kernel.type(kernel.op(id).results[0]);
        const auto shape = extents(type);
        tiles.push_back({type.elem, shape[0], shape[1]});
    });
    if (!any && plan.depth != 0) return PlanFault{"depth", "the kernel has no product"};
    if (!any && plan.pack) return PlanFault{"pack", "the kernel has no product"};
    if (any && !within(plan.depth, 1, kMostDepth))
        return PlanFault{"depth", fmt::format("{} is not from 1 to {}", plan.depth, kMostDepth)};
    if (auto fault = split_fault(kernel, plan)) return fault;
    for (const ProductPanel& panel : plan.panels) {
        if (std::ranges::none_of(tiles, [&](const ProductPanel& tile) { return same_tile(tile, panel); }))
            return PlanFault{"panel", "no product of the kernel accumulates in such a tile", panel};
        if (auto fault = panel_fault(machine, plan, panel)) return fault;
    }
    return std::nullopt;
}

}  // namespace

std::optional<PlanFault> plan_fault(const Function& kernel, const CpuMachine& machine, const Plan& plan) {
    if (auto fault = vector_fault(kernel, plan.cpu(), plan.task)) return fault;
    return product_fault(kernel, machine, plan.cpu());
}

}  // namespace tsr::ir
