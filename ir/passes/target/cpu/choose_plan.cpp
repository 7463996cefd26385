#include "ir/passes/target/cpu/choose_plan.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "ir/ops/record.h"
#include "ir/passes/target/cpu/single_lanes.h"
#include "ir/passes/target/cpu/tiles/panel.h"
#include "ir/passes/target/cpu/tiles/split_k.h"
#include "ir/passes/target/cpu/tiles/uses.h"
#include "ir/passes/target/cpu/tiles/widen_products.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

struct TaskCost {
    int64_t operations = 0;  // of one lane in instructions, a loop's body counted eight times
    int64_t values = 0;      // a bound of the values alive at once
    bool loops = false;
};

// What one element costs, as the record says; what records say nothing of (memory, control) counts as one.
int64_t cost_of_element(const Op& op) {
    const Cost cost = record(op.kind).cost;
    return cost == Cost::unsaid ? 1 : instructions(cost);
}

// Of a register tile each lane of the group has its share.
int64_t instructions_of(const Function& kernel, OpId id) {
    const Op& op = kernel.op(id);
    int64_t elements = 0;
    for (ValueId v : op.operands) {
        if (is_tile(kernel, v)) elements = std::max(elements, element_count(kernel.type(v)));
    }
    for (ValueId v : op.results) {
        if (is_tile(kernel, v)) elements = std::max(elements, element_count(kernel.type(v)));
    }
    if (op.kind == OpKind::mma) {
        const MmaOp product(kernel, id);
        const Dim& inner = kernel.type(product.a()).shape[product.a_transposed() ? 0 : 1];
        elements = element_count(kernel.type(product.result())) * inner.constant_value().value_or(1);
    }
    const int64_t share = elements / std::max<int64_t>(kernel.kernel.group_size(), 1);
    return std::max<int64_t>(share, 1) * cost_of_element(op);
}

void add_cost(const Function& kernel, RegionId region, int64_t weight, TaskCost& cost) {
    for (OpId id : kernel.region(region).ops) {
        const Op& op = kernel.op(id);
        if (op.kind == OpKind::constant || op.kind == OpKind::yield) continue;
        bool loop = op.kind == OpKind::for_ || op.kind == OpKind::while_;
        cost.operations += weight * instructions_of(kernel, id);
        if (loop) {
            cost.loops = true;
            cost.values += static_cast<int64_t>(op.results.size());
        }
        for (RegionId inner : op.regions) add_cost(kernel, inner, loop ? weight * 8 : weight, cost);
    }
}

}  // namespace

namespace {

// Carried values stay in registers for the whole of a loop; the rest comes and goes. A third of the registers is left
// for what is computed in between.
int64_t vectors_in_flight(const TaskCost& cost, const CpuMachine& machine) {
    if (!cost.loops) return cost.operations <= 12 ? 4 : cost.operations <= 60 ? 2 : 1;
    const int64_t room = machine.registers * 2 / 3;
    return std::clamp<int64_t>(room / std::max<int64_t>(cost.values + 2, 3), 1, 4);
}

// A task is worth about 20 microseconds at one instruction per lane and cycle.
int64_t task_size(const Function& kernel, const TaskCost& cost, const CpuPlan& plan) {
    const int64_t task = 60000 * plan.lanes / std::max<int64_t>(cost.operations, 1);
    const int64_t grain = plan.lanes * plan.interleave;
    if (kernel.kernel.flat || kernel.kernel.elements) return std::max<int64_t>(task / grain, 1) * grain;
    return std::max<int64_t>(task / std::max<int64_t>(kernel.kernel.group_size(), 1), 1);
}

// So deep that the accumulator's share is small, and panels of both operands stay in the first cache.
constexpr int64_t kDepth = 256;
constexpr int64_t kWordDepth = 512;     // of elements that share words
constexpr int64_t kMatrixDepth = 4096;  // bits, of what the matrix unit multiplies

void plan_products(const Function& kernel, const CpuMachine& machine, const CpuPlanFields& fields, CpuPlan& plan) {
    int64_t depth = 0;
    plan.panels = fields.panels;
    walk(kernel, kernel.body, [&](OpId id) {
        if (!is_product(kernel.op(id))) return;
        const bool matrix = machine.matrix_unit && suits_matrix_unit(kernel, id);
        const int64_t suits = matrix ? kMatrixDepth / bits(kernel.type(MmaOp(kernel, id).a()).elem)
                              : sums_words(kernel, id, machine) ? kWordDepth
                                                                : kDepth;
        depth = depth == 0 ? suits : std::min(depth, suits);
        if (matrix) return;
        const ProductPanel best = best_panel(kernel.type(kernel.op(id).results[0]), plan.lanes,
                                             machine.registers * machine.lanes / std::max(plan.lanes, machine.lanes));
        if (std::ranges::none_of(plan.panels, [&](const ProductPanel& p) { return same_tile(p, best); }))
            plan.panels.push_back(best);
    });
    plan.depth = fields.depth.value_or(depth);
    plan.pack = fields.pack.value_or(depth != 0);
}

}  // namespace

Plan choose_plan(const Function& kernel, const CpuMachine& machine, bool narrow_index, const CpuPlanFields& fields) {
    TaskCost cost;
    add_cost(kernel, kernel.body, 1, cost);
    CpuPlan cpu;
    cpu.lanes = fields.lanes.value_or(prefers_single_lanes(kernel) ? 1 : machine.lanes);
    const int64_t in_flight = cpu.lanes == 1 ? 1 : vectors_in_flight(cost, machine);
    cpu.interleave = fields.interleave.value_or(in_flight);
    plan_products(kernel, machine, fields, cpu);
    Plan plan(cpu);
    plan.machine = machine.name;
    plan.narrow_index = narrow_index;
    plan.task = fields.task.value_or(task_size(kernel, cost, cpu));
    if (narrow_index) plan.reasons.emplace_back("32-bit indices: where all sizes are below 2^30");
    if (!fields.lanes && cpu.lanes == 1)
        plan.reasons.emplace_back("one lane: loops of different lengths that mostly gather");
    plan.reasons.emplace_back(cpu.interleave != in_flight ? "vectors in flight: fixed"
                              : cost.loops ? "vectors in flight: as many as the carried values leave registers for"
                                           : "vectors in flight: by the length of the straight code");
    return plan;
}

namespace {

// Operands that one group or two ask for are not worth packing, and a few groups leave cores without work.
constexpr int64_t kPart = 1024;  // of k
constexpr int64_t kFewGroups = 4;

constexpr int64_t kSmallTile = 64 * 64;

// Of a tuned kernel, the points with large tiles: where there are few groups, those with small ones are faster.
bool is_for_many_groups(const Function& kernel) {
    return kernel.kernel.point && any_below(kernel, kernel.body, [&](const Op& op) {
               return op.kind == OpKind::mma && element_count(kernel.type(op.results[0])) > kSmallTile;
           });
}

}  // namespace

std::optional<Plan> choose_split_plan(const Function& kernel, const CpuMachine& machine, const CpuPlanFields& fields) {
    const auto step = splits_k(kernel);
    if (!step || (!fields.split && is_for_many_groups(kernel))) return std::nullopt;
    Plan plan = choose_plan(kernel, machine, false, fields);
    CpuPlan& cpu = plan.cpu();
    const int64_t merged = std::max(cpu.depth / *step, int64_t{1}) * *step;
    cpu.pack = false;
    cpu.split = fields.split.value_or((kPart + merged - 1) / merged * merged);
    cpu.most_groups = fields.most_groups.value_or(kFewGroups);
    plan.reasons.push_back(
        fmt::format("sums over k in parts: where there are no more than {} groups, and 2 to {} parts", cpu.most_groups,
                    kMostParts));
    return plan;
}

}  // namespace tsr::ir
