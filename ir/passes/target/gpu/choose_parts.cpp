#include "ir/passes/target/gpu/choose_parts.h"

#include <algorithm>
#include <functional>
#include <tuple>

#include <fmt/format.h>

#include "ir/passes/target/gpu/choose_threads.h"
#include "ir/passes/target/gpu/tiles/groups.h"
#include "ir/passes/target/gpu/tiles/registers.h"
#include "ir/passes/tile/divide_groups.h"

namespace tsr::ir {

namespace {

constexpr int64_t kMostParts = 16;  // of a group
constexpr int64_t kShares = 3;      // of registers where copies pass through them: sums, operands, copies
constexpr int64_t kLeastStep = 16;  // the rows and columns of the smallest fragments

using Parts = std::vector<int64_t>;

int64_t product(const Parts& parts) {
    int64_t all = 1;
    for (int64_t number : parts) all *= number;
    return all;
}

// Powers of two that divide each axis; the best first: the fewest parts, then those whose longest axis is shortest,
// then rows before columns.
std::vector<Parts> candidates(const Function& kernel) {
    const std::vector<int64_t> steps = grid_steps(kernel);
    std::vector<Parts> all{{}};
    for (size_t axis = 0; axis < steps.size(); ++axis) {
        std::vector<Parts> longer;
        for (int64_t number = 1; number <= kMostParts; number *= 2) {
            if (number > 1 && (steps[axis] / number % kLeastStep != 0 || division_fault(kernel, axis, number))) break;
            for (Parts parts : all) {
                parts.push_back(number);
                if (product(parts) <= kMostParts) longer.push_back(std::move(parts));
            }
        }
        all = std::move(longer);
    }
    std::erase_if(all, [](const Parts& parts) { return product(parts) == 1; });
    const auto rank = [&](const Parts& parts) {
        int64_t longest = 0;
        for (size_t axis = 0; axis < parts.size(); ++axis) longest = std::max(longest, steps[axis] / parts[axis]);
        return std::tuple(product(parts), longest);
    };
    std::ranges::stable_sort(all, std::greater<>());
    std::ranges::stable_sort(all, std::less<>(), rank);
    return all;
}

// Warp groups that multiply read their operands from shared memory; warps have fragments of them beside the sums, of
// this step over k and of the next one, that take as many registers.
bool holds_with_ease(const Function& kernel, const GpuMachine& machine, const GpuPlanFields& fields) {
    const GpuPlan plan = choose_threads(kernel, machine, fields).gpu();
    if (lacks_registers(kernel, plan)) return false;
    return group_threads(kernel, machine) == plan.threads ||
           2 * carried_registers(kernel, plan.threads) < registers_of_thread(plan.threads, machine);
}

}  // namespace

std::optional<std::string> wants_parts(const Function& kernel, const GpuMachine& machine, const GpuPlan& plan) {
    if (auto lacks = lacks_registers(kernel, plan)) return lacks;
    if (machine.async_copies || plan.threads == 0) return std::nullopt;
    const int64_t carried = carried_registers(kernel, plan.threads), all = registers_of_thread(plan.threads, machine);
    if (kShares * carried <= all) return std::nullopt;
    return fmt::format("a loop carries {} registers in each of {} threads, which have {} for what they copy as well",
                       carried, plan.threads, all);
}

Parts choose_parts(const Function& kernel, const GpuMachine& machine, const GpuPlanFields& fields) {
    if (!wants_parts(kernel, machine, choose_threads(kernel, machine, fields).gpu())) return {};
    const std::vector<Parts> all = candidates(kernel);
    const auto found = std::ranges::find_if(all, [&](const Parts& parts) {
        return holds_with_ease(divided_by(Plan(GpuPlan{.parts = parts}), kernel), machine, fields);
    });
    return found == all.end() ? Parts{} : *found;
}

std::optional<PlanFault> parts_fault(const Function& kernel, const Parts& parts) {
    const size_t axes = grid_steps(kernel).size();
    if (parts.size() != axes)
        return PlanFault{"parts", fmt::format("{} for the {} axes of the kernel's grid", parts.size(), axes)};
    for (size_t axis = 0; axis < axes; ++axis) {
        const auto why = parts[axis] == 1 ? std::nullopt : division_fault(kernel, axis, parts[axis]);
        if (why) return PlanFault{"parts", fmt::format("axis {} of the grid: {}", axis, *why)};
    }
    return std::nullopt;
}

Function divided_by(const Plan& plan, const Function& kernel) {
    Function divided = kernel;
    divided.plan = plan;
    divide_groups(divided);
    return divided;
}

}  // namespace tsr::ir
