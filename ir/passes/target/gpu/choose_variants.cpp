#include "ir/passes/target/gpu/choose_variants.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "ir/passes/target/gpu/box_maps.h"
#include "ir/passes/target/gpu/choose_parts.h"
#include "ir/passes/target/gpu/choose_plan.h"
#include "ir/passes/target/gpu/choose_stages.h"
#include "ir/passes/target/gpu/dry_run.h"
#include "ir/passes/target/gpu/narrow_indices.h"
#include "ir/passes/target/gpu/tiles/layouts.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

// Register tiles go through shared memory where threads exchange them: how much of it is known once they have code.
std::optional<NoGpuCode> without_room(const Function& kernel, const GpuMachine& machine, const Plan& plan) {
    // Pipelines have as many stages as fit, known from a dry run.
    if (plan.gpu().stages > 1) return std::nullopt;
    const int64_t bytes = dry_run(divided_by(plan, kernel), machine).shared_bytes;
    if (bytes <= machine.shared_bytes) return std::nullopt;
    return NoGpuCode{{},
                     fmt::format("{} bytes of shared memory for buffers and register tiles: a block has at most {}",
                                 bytes, machine.shared_bytes)};
}

// Before a plan is thought of.
std::optional<NoGpuCode> without_code(const Function& kernel, const GpuMachine& machine) {
    const KernelInfo& info = kernel.kernel;
    if (!info.flat && !info.elements && info.group_size() > kMostThreads) {
        return NoGpuCode{
            {}, fmt::format("groups of {} tiles: a block has at most {} threads", info.group_size(), kMostThreads)};
    }
    std::optional<NoGpuCode> none;
    const auto warps = kernel.kernel.warps();
    if (warps && tile_threads(kernel) && !std::has_single_bit(static_cast<uint64_t>(*warps)))
        return NoGpuCode{{},
                         fmt::format("num_warps={}: register tiles are laid out over a power of two of warps", *warps)};
    int64_t bytes = 0;
    walk(kernel, kernel.body, [&](OpId id) {
        const Op& op = kernel.op(id);
        if (none) return;
        none = without_tile_code(kernel, id);
        if (none) return;
        if (op.kind != OpKind::buffer) return;
        int64_t elements = op.attrs.integer(Attr::count, 1);
        for (const Dim& dim : kernel.type(op.results[0]).shape) elements *= dim.constant_value().value_or(0);
        bytes += elements * ((bits(kernel.type(op.results[0]).elem) + 7) / 8);
        if (bytes > machine.shared_bytes) {
            none = NoGpuCode{id, fmt::format("shared buffers of {} bytes or more: a block has at most {}", bytes,
                                             machine.shared_bytes)};
        }
    });
    return none;
}

}  // namespace

std::variant<Plan, NoGpuCode> planned_for_gpu(const Function& kernel, const GpuMachine& machine) {
    if (auto none = without_code(kernel, machine)) return *none;
    Plan plan = choose_gpu_plan(kernel, machine);
    if (!tile_threads(kernel)) return plan;
    if (auto none = without_room(kernel, machine, plan)) return *none;
    return plan;
}

std::optional<NoGpuCode> without_gpu_code(const Function& kernel, const GpuMachine& machine) {
    const auto planned = planned_for_gpu(kernel, machine);
    const auto* none = std::get_if<NoGpuCode>(&planned);
    return none != nullptr ? std::optional(*none) : std::nullopt;
}

namespace {

std::variant<Plan, NoGpuCode> planned_by(const Function& kernel, const GpuMachine& machine,
                                         const GpuPlanFields& fields) {
    auto chosen = planned_for_gpu(kernel, machine);
    const bool given = fields != GpuPlanFields{};
    if (given && std::holds_alternative<Plan>(chosen)) return choose_gpu_plan(kernel, machine, fields);
    return chosen;
}

// Plans for tensors whose rows suit TMA copies. Where the tensors that are stored to may have others than those that
// are loaded, a second one stores from registers.
std::vector<Plan> with_boxes(const Function& kernel, const GpuMachine& machine, const Plan& plan) {
    std::vector<Plan> plans{plan};
    if (!plan.gpu().box_stores) return plans;
    if (stored_rows_suit(kernel, dry_run(divided_by(plan, kernel), machine).thread)) return plans;
    plans.push_back(plan);
    plans.back().gpu().box_stores = false;
    return plans;
}

}  // namespace

GpuVariants choose_gpu_variants(const Function& kernel, const GpuMachine& machine, const GpuFields& fields) {
    GpuVariants out;
    const GpuPlanFields* last = machine.box_copies ? &fields.boxes : &fields.plain;
    auto chosen = planned_by(kernel, machine, *last);
    if (const auto* plan = std::get_if<Plan>(&chosen); plan != nullptr && plan->gpu().box_copies) {
        out.plans = with_boxes(kernel, machine, *plan);
        last = &fields.plain;
        chosen = planned_by(kernel, without_boxes(machine), *last);
    }
    if (auto* none = std::get_if<NoGpuCode>(&chosen)) {
        out.without = std::move(*none);
        return out;
    }
    const Plan& plain = out.plans.emplace_back(std::get<Plan>(std::move(chosen)));
    if (!last->stages) out.fewer = too_many_stages(divided_by(plain, kernel), machine);
    if (wants_narrow_indices(kernel, machine)) {
        out.narrow = plain;
        out.narrow->narrow_index = true;
    }
    return out;
}

}  // namespace tsr::ir
