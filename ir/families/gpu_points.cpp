#include "ir/families/gpu_points.h"

#include <vector>

#include <fmt/core.h>

#include "ir/passes/target/gpu/choose_parts.h"
#include "ir/passes/target/gpu/choose_threads.h"
#include "ir/passes/target/gpu/choose_variants.h"
#include "ir/passes/target/gpu/tiles/registers.h"
#include "ir/passes/tile/divide_groups.h"

namespace tsr::ir {

namespace {

// What a loop carries and a block that runs a whole group has no registers for.
std::optional<std::string> lacks_when_whole(const Function& kernel, const GpuMachine& machine) {
    return lacks_registers(kernel, choose_threads(kernel, machine, {}).gpu());
}

}  // namespace

// Each asks for a plan, whose rings are tried out: once is enough.
const GpuPoints::Planned& GpuPoints::planned(const Function& kernel, const GpuMachine& machine) {
    const auto [found, fresh] = planned_.try_emplace({kernel.name, machine.name});
    if (fresh) {
        const auto answer = planned_for_gpu(kernel, machine);
        if (const auto* plan = std::get_if<Plan>(&answer)) found->second.plan = *plan;
        found->second.lacks = lacks_when_whole(kernel, machine);
    }
    return found->second;
}

const Priced& GpuPoints::priced(const Function& kernel, const GpuMachine& machine) {
    const auto [found, fresh] = priced_.try_emplace({kernel.name, machine.name});
    if (fresh) {
        const Function divided = divided_by(planned(kernel, machine).plan.value(), kernel);
        found->second = {grid_steps(divided), product_costs(divided, machine)};
    }
    return found->second;
}

std::optional<std::string> GpuPoints::ruled_out(const Function& kernel, const GpuMachine& machine,
                                                bool plan_is_chosen) {
    const auto point = points_.find(kernel.name);
    if (point == points_.end()) return std::nullopt;
    if (!planned(kernel, machine).plan) return std::nullopt;
    std::vector<const Function*> others;
    for (const Function& other : module_.functions) {
        const auto same = points_.find(other.name);
        const bool beside = same != points_.end() && same->second == point->second && &other != &kernel;
        if (!beside) continue;
        const Planned& its = planned(other, machine);
        if (its.plan && !its.lacks) others.push_back(&other);
    }
    if (const auto& why = planned(kernel, machine).lacks) return others.empty() ? std::nullopt : why;
    if (!plan_is_chosen) return std::nullopt;
    const Priced& own = priced(kernel, machine);
    for (const Function* other : others) {
        const Priced& its = priced(*other, machine);
        if (!clearly_worse(own, its)) continue;
        return fmt::format(
            "by the cost model 1024 multiply-adds take {:.2f} cycles with all multiprocessors busy, and {:.0f} steps "
            "of the "
            "loop {:.0f} in a block alone: {} takes {:.2f} and {:.0f}",
            own.loops[0].busy, kSteps, own.loops[0].alone * kSteps, other->kernel.point->text(), its.loops[0].busy,
            its.loops[0].alone * kSteps);
    }
    return std::nullopt;
}

}  // namespace tsr::ir
