#include "ir/passes/target/gpu/spread_threads.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "ir/passes/target/gpu/parts.h"
#include "ir/passes/target/gpu/plan.h"
#include "ir/passes/target/gpu/refuse.h"
#include "ir/passes/target/gpu/thread_code.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

// Register tiles go through shared memory where threads exchange them: how much of it is known once they have code.
std::optional<NoGpuCode> without_room(const Function& kernel, const GpuMachine& machine, const Plan& plan) {
    // Rings have as many stages as fit, known from code that was made to see.
    if (plan.stages > 1) return std::nullopt;
    const Function planned = divided_by(plan, kernel);
    const GpuMachine from_registers = without_box_stores(machine);
    ThreadCode code(planned, from_registers);
    code.run();
    if (code.shared_bytes() <= machine.shared_bytes) return std::nullopt;
    return NoGpuCode{{},
                     fmt::format("{} bytes of shared memory for buffers and register tiles: a block has at most {}",
                                 code.shared_bytes(), machine.shared_bytes)};
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

Function spread_threads(const Function& kernel, const GpuMachine& machine) {
    ThreadCode code(kernel, machine);
    code.run();
    // Stages of rings are worth more than places to store from.
    if (machine.box_stores && code.shared_bytes() > machine.shared_bytes)
        return spread_threads(kernel, without_box_stores(machine));
    code.target.plan = kernel.plan;
    code.target.plan->scratch = code.shared_bytes();
    code.target.plan->threads += code.producers();
    if (code.producers() > 0) code.target.plan->reasons.push_back(code.about_producers());
    return std::move(code.target);
}

}  // namespace tsr::ir
