#include "ir/passes/target/gpu/choose_plan.h"

#include <optional>

#include <fmt/format.h>

#include "ir/passes/target/gpu/choose_copies.h"
#include "ir/passes/target/gpu/choose_parts.h"
#include "ir/passes/target/gpu/choose_stages.h"
#include "ir/passes/target/gpu/choose_threads.h"
#include "ir/passes/target/gpu/rings/choose_cluster.h"
#include "ir/passes/target/gpu/tiles/layouts.h"
#include "ir/passes/target/gpu/tiles/registers.h"

namespace tsr::ir {

Plan choose_gpu_plan(const Function& kernel, const GpuMachine& machine, const GpuPlanFields& fields) {
    const Plan whole = choose_threads(kernel, machine, fields);
    const std::vector<int64_t> parts = fields.parts ? *fields.parts : choose_parts(kernel, machine, fields);
    Function planned = kernel;
    planned.plan = whole;
    planned.plan->gpu().parts = parts;
    const bool divides = parts_of(planned.plan->gpu()) > 1 && !parts_fault(kernel, parts);
    if (divides) {
        planned = divided_by(*planned.plan, kernel);
        planned.plan = choose_threads(planned, machine, fields);
        planned.plan->gpu().parts = parts;
    }
    Plan& plan = *planned.plan;
    if (const auto why = wants_parts(kernel, machine, whole.gpu()); why && divides) {
        plan.reasons.push_back(
            fmt::format("parts {}: {}, where a block runs a whole group", fmt::join(parts, " x "), *why));
    } else if (const auto lacks = lacks_registers(kernel, whole.gpu())) {
        plan.reasons.push_back(fmt::format("registers: {}: the rest is in memory", *lacks));
    }
    if (tile_threads(kernel)) choose_stages(planned, machine);
    if (fields.stages) plan.gpu().stages = *fields.stages;
    const std::vector<std::string> of_copies = choose_copies(planned, machine);
    choose_cluster(planned, machine, fields);
    plan.reasons.insert(plan.reasons.end(), of_copies.begin(), of_copies.end());
    return plan;
}

std::optional<PlanFault> gpu_plan_fault(const Function& kernel, const GpuMachine& machine, const Plan& plan) {
    const auto fault = [](const std::string& why) { return PlanFault{"threads", why}; };
    const GpuPlan& gpu = plan.gpu();
    if (gpu.threads < kWarp || gpu.threads > kMostThreads || gpu.threads % kWarp != 0)
        return fault(fmt::format("{} are no whole warps of {}, at most {} together", gpu.threads, kWarp, kMostThreads));
    const int64_t most = by_tiles(kernel) ? most_neighbours(kernel) : 1;
    if (gpu.tiles_per_thread < 1 || gpu.tiles_per_thread > most || most % gpu.tiles_per_thread != 0)
        return fault(fmt::format("{} tiles to a thread: of this kernel it does {}", gpu.tiles_per_thread,
                                 most == 1 ? "one" : fmt::format("1 to {}, a power of two", most)));
    if (!gpu.parts.empty()) {
        if (auto no = parts_fault(kernel, gpu.parts)) return no;
    }
    const GpuPlan own = choose_gpu_plan(kernel, machine, {.parts = gpu.parts}).gpu();
    if (gpu.stages != own.stages) {
        if (auto why = stages_fault(divided_by(plan, kernel), machine, plan)) return PlanFault{"stages", *why};
    }
    if (gpu.cluster_rows != own.cluster_rows || gpu.cluster_columns != own.cluster_columns) {
        if (auto why = cluster_fault(divided_by(plan, kernel), machine, plan)) return PlanFault{"cluster", *why};
    }
    if (by_tiles(kernel)) return std::nullopt;
    const int64_t chosen = own.threads;
    if (tile_threads(kernel) && gpu.threads != chosen)
        return fault(fmt::format("{}: the register tiles are laid out for {}", gpu.threads, chosen));
    const bool names_tiles = kernel.kernel.names_group || has_tile_loop(kernel);
    if (names_tiles && gpu.threads < chosen)
        return fault(fmt::format("{}: a group has {} tiles", gpu.threads, kernel.kernel.group_size()));
    return std::nullopt;
}

}  // namespace tsr::ir
