#include "ir/passes/target/gpu/choose_stages.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "ir/passes/target/gpu/dry_run.h"
#include "ir/passes/target/gpu/rings/staged_loads.h"
#include "ir/passes/target/gpu/tiles/layouts.h"

namespace tsr::ir {

namespace {

constexpr int64_t kMostUnasked = 4;
// An SM of today gets 20 to 40 bytes of the second cache in a cycle, some 600 cycles after it asked, and has one or two
// such blocks.
constexpr int64_t kOnTheirWay = 48 * 1024;
// Where warps of their own copy boxes, products do not wait for each other's rounds: what comes late must not be felt.
constexpr int64_t kOnTheirWayInBoxes = 128 * 1024;

// What a block takes: with two stages, and with each one more, at most.
struct SharedBytes {
    int64_t of_two = 0, each = 0, alignment = 0;
    [[nodiscard]] int64_t of(int64_t stages) const {
        return of_two + (stages == 2 ? 0 : (stages - 2) * each + alignment);
    }
};

SharedBytes shared_bytes(Function kernel, const std::vector<StagedLoop>& loops, const GpuMachine& machine) {
    SharedBytes out;
    for (const StagedLoop& loop : loops) {
        out.each += loop.bytes;
        // Buffers that are no multiples of it lie a little further apart than they are long.
        if (loop.bytes % kBoxAlignment != 0) out.alignment += static_cast<int64_t>(loop.loads.size()) * kBoxAlignment;
    }
    GpuPlan& plan = kernel.plan->gpu();
    plan.stages = 2;
    plan.box_stores = false;  // they take what stages leave
    out.of_two = dry_run(std::move(kernel), machine).shared_bytes;
    return out;
}

int64_t wanted(const std::vector<StagedLoop>& loops, int64_t bytes) {
    const int64_t most = std::ranges::max(loops, {}, &StagedLoop::asked).asked;
    const int64_t on_their_way = std::ranges::all_of(loops, &StagedLoop::boxes) ? kOnTheirWayInBoxes : kOnTheirWay;
    return most > 0 ? std::min(most, kMostStages)
                    : std::clamp<int64_t>(1 + (on_their_way + bytes - 1) / bytes, 2, kMostUnasked);
}

}  // namespace

void choose_stages(Function& kernel, const GpuMachine& machine) {
    GpuPlan& plan = kernel.plan->gpu();
    const std::vector<StagedLoop> loops = staged_loops(kernel, machine);
    if (loops.empty()) return;
    const int64_t bytes = std::ranges::max(loops, {}, &StagedLoop::bytes).bytes;  // of a round
    const int64_t most = wanted(loops, bytes);
    const SharedBytes bytes_of = shared_bytes(kernel, loops, machine);
    for (plan.stages = most; plan.stages > 1 && bytes_of.of(plan.stages) > machine.shared_bytes;) --plan.stages;
    kernel.plan->reasons.push_back(
        fmt::format("stages {}: rounds of {} bytes{}", plan.stages, bytes,
                    plan.stages < most ? fmt::format(", shared memory ends before {}", most) : ""));
}

std::optional<std::string> stages_fault(const Function& kernel, const GpuMachine& machine, const Plan& plan) {
    const int64_t stages = plan.gpu().stages;
    if (stages < 2 || stages > kMostStages) return fmt::format("{} is not from 2 to {}", stages, kMostStages);
    Function planned = kernel;
    planned.plan = plan;
    const auto loops = tile_threads(kernel) ? staged_loops(planned, machine) : std::vector<StagedLoop>{};
    if (loops.empty()) return "no load of the kernel feeds a product";
    if (std::ranges::all_of(loops, [&](const StagedLoop& loop) { return stages_of(loop, plan.gpu()) < stages; }))
        return fmt::format("{} are more than `prefetch` asks for", stages);
    const int64_t bytes = shared_bytes(planned, loops, machine).of(stages);
    if (bytes <= machine.shared_bytes) return std::nullopt;
    return fmt::format("{} take {} bytes of shared memory: a block has at most {}", stages, bytes,
                       machine.shared_bytes);
}

std::optional<NoGpuCode> too_many_stages(const Function& kernel, const GpuMachine& machine) {
    const std::vector<StagedLoop> loops = staged_loops(kernel, machine);
    const int64_t stages = kernel.plan->gpu().stages;
    for (const StagedLoop& loop : loops) {
        if (std::min(loop.asked, kMostStages) <= stages) continue;
        const int64_t bytes = shared_bytes(kernel, loops, machine).of(loop.asked);
        return NoGpuCode{
            loop.loop,
            fmt::format("`prefetch={}` takes {} bytes of shared memory, a block has at most {}: {}", loop.asked, bytes,
                        machine.shared_bytes, stages > 1 ? fmt::format("{} stages fit", stages) : "no two stages fit")};
    }
    return std::nullopt;
}

}  // namespace tsr::ir
