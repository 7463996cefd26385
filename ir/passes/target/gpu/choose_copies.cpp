#include "ir/passes/target/gpu/choose_copies.h"

#include <algorithm>
#include <utility>

#include "ir/ops/boxes.h"
#include "ir/passes/target/gpu/choose_stages.h"
#include "ir/passes/target/gpu/dry_run.h"
#include "ir/passes/target/gpu/rings/choose_producers.h"
#include "ir/passes/target/gpu/rings/staged_loads.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

bool copies_boxes(const Function& kernel, const GpuMachine& machine) {
    const GpuPlan& plan = kernel.plan->gpu();
    if (!plan.box_copies || plan.stages < 2 || plan.stages > kMostStages) return false;
    const auto loops = staged_loops(kernel, machine);
    return std::ranges::any_of(loops, [&](const StagedLoop& loop) { return loop.boxes && stages_of(loop, plan) > 1; });
}

}  // namespace

std::vector<std::string> choose_copies(Function& kernel, const GpuMachine& machine) {
    GpuPlan& plan = kernel.plan->gpu();
    plan.box_copies = copies_boxes(kernel, machine);
    if (!plan.box_copies) return {};
    plan.box_stores = machine.box_stores;
    DryRun seen = dry_run(kernel, machine);
    plan.producers = seen.producers;
    if (shares_registers(plan)) seen = dry_run(kernel, machine);  // its products may take turns
    const bool stores =
        any_below(seen.thread, seen.thread.body, [](const Op& op) { return op.kind == OpKind::store_box; });
    // Stages of pipelines are worth more than places to store from.
    plan.box_stores = stores && seen.shared_bytes <= machine.shared_bytes;
    std::vector<std::string> reasons = std::move(seen.reasons);
    if (plan.producers > 0) reasons.push_back(about_producers(plan));
    return reasons;
}

}  // namespace tsr::ir
