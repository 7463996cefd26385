#include "ir/passes/target/gpu/plan.h"

#include <optional>

#include <fmt/format.h>

#include "ir/passes/target/gpu/choose_stages.h"
#include "ir/passes/target/gpu/choose_threads.h"
#include "ir/passes/target/gpu/parts.h"
#include "ir/passes/target/gpu/registers.h"
#include "ir/passes/target/gpu/rings/choose_cluster.h"
#include "ir/passes/target/gpu/tiles/layouts.h"

namespace tsr::ir {

bool gives_gpu_fields(const PlanFields& fields) {
    return fields.parts || fields.threads || fields.interleave || fields.stages || fields.cluster_rows ||
           fields.cluster_columns;
}

Plan choose_gpu_plan(const Function& kernel, const GpuMachine& machine, const PlanFields& fields) {
    const Plan whole = choose_threads(kernel, machine, fields);
    Plan plan = whole;
    plan.parts = fields.parts ? *fields.parts : choose_parts(kernel, machine, fields);
    Function planned = kernel;
    const bool divides = parts_of(plan) > 1 && !parts_fault(kernel, plan.parts);
    if (divides) {
        planned = divided_by(plan, kernel);
        planned.plan = choose_threads(planned, machine, fields);
        planned.plan->parts = plan.parts;
    } else {
        planned.plan = plan;
    }
    if (const auto why = wants_parts(kernel, machine, whole); why && divides) {
        planned.plan->reasons.push_back(
            fmt::format("parts {}: {}, where a block runs a whole group", fmt::join(plan.parts, " x "), *why));
    } else if (const auto lacks = lacks_registers(kernel, whole)) {
        planned.plan->reasons.push_back(fmt::format("registers: {}: the rest is in memory", *lacks));
    }
    if (tile_threads(kernel)) choose_stages(planned, machine);
    if (fields.stages) planned.plan->stages = *fields.stages;
    if (!machine.box_copies) return *planned.plan;
    plan = *planned.plan;
    if (tile_threads(kernel)) choose_cluster(planned, machine);
    if (fields.cluster_rows) {
        plan.cluster_rows = *fields.cluster_rows;
        plan.cluster_columns = fields.cluster_columns.value_or(1);
    }
    const Plan& chosen = *planned.plan;
    const bool other = plan.cluster_rows != chosen.cluster_rows || plan.cluster_columns != chosen.cluster_columns;
    return fields.cluster_rows && other ? plan : chosen;
}

std::optional<PlanFault> gpu_plan_fault(const Function& kernel, const GpuMachine& machine, const Plan& plan) {
    const auto fault = [](const std::string& why) { return PlanFault{"threads", why}; };
    if (plan.threads < kWarp || plan.threads > kMostThreads || plan.threads % kWarp != 0)
        return fault(
            fmt::format("{} are no whole warps of {}, at most {} together", plan.threads, kWarp, kMostThreads));
    const int64_t most = by_tiles(kernel) ? most_neighbours(kernel) : 1;
    if (plan.interleave < 1 || plan.interleave > most || most % plan.interleave != 0)
        return fault(fmt::format("{} tiles to a thread: of this kernel it does {}", plan.interleave,
                                 most == 1 ? "one" : fmt::format("1 to {}, a power of two", most)));
    if (!plan.parts.empty()) {
        if (auto no = parts_fault(kernel, plan.parts)) return no;
    }
    const Plan own = choose_gpu_plan(kernel, machine, {.parts = plan.parts});
    if (plan.stages != own.stages) {
        if (auto why = stages_fault(divided_by(plan, kernel), machine, plan)) return PlanFault{"stages", *why};
    }
    if (plan.cluster_rows != own.cluster_rows || plan.cluster_columns != own.cluster_columns) {
        if (auto why = cluster_fault(divided_by(plan, kernel), machine, plan)) return PlanFault{"cluster", *why};
    }
    if (by_tiles(kernel)) return std::nullopt;
    const int64_t chosen = own.threads;
    if (tile_threads(kernel) && plan.threads != chosen)
        return fault(fmt::format("{}: the register tiles are laid out for {}", plan.threads, chosen));
    const bool names_tiles = kernel.kernel.names_group || has_tile_loop(kernel);
    if (names_tiles && plan.threads < chosen)
        return fault(fmt::format("{}: a group has {} tiles", plan.threads, kernel.kernel.group_size()));
    return std::nullopt;
}

}  // namespace tsr::ir
