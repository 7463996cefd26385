#include "driver/families.h"

#include <algorithm>

#include <fmt/core.h>

#include "driver/compilation.h"
#include "ir/passes/target/cpu/index_range.h"
#include "ir/passes/target/cpu/plan.h"

namespace tsr::driver {

namespace {

using codegen::Guard;

std::string plan_text(const ir::CpuVariant& variant) {
    if (!variant.task.plan) return {};
    const ir::Plan& plan = *variant.task.plan;
    return fmt::format("lanes {} x {}, task {}{}", plan.lanes, plan.interleave, plan.task,
                       variant.narrow_index ? ", indices of 32 bits" : "");
}

// All dimensions and the number of groups or tiles are below the limit. Of groups along several axes no product can be
// guarded: the variant is for one axis.
std::vector<Guard> narrow_guards(const ir::Function& task) {
    std::vector<Guard> guards;
    auto slot = static_cast<int32_t>(task.params().size());
    for (size_t i = 0; i <= task.symbols.size(); ++i)
        guards.push_back({Guard::Op::less, slot++, ir::IndexRanges::kLimit});
    for (int axis = 1; axis < 3; ++axis) guards.push_back({Guard::Op::less, slot++, 2});
    return guards;
}

}  // namespace

std::string planned_as(const std::string& machine) {
    if (ir::cpu_machine(machine) != nullptr) return machine;
    std::string best = "x86-64";
    if (machine != "native") return best;
    for (const std::string& level : codegen::levels_of_host()) {
        if (ir::cpu_machine(level) != nullptr) best = level;
    }
    return best;
}

codegen::KernelFamily describe_family(const ir::Function& kernel) {
    codegen::KernelFamily out;
    out.name = kernel.name;
    if (kernel.place.valid()) out.place = kernel.place_of(kernel.place).span;
    out.slots.resize(kernel.params().size());
    out.slots.insert(out.slots.end(), kernel.symbols.begin(), kernel.symbols.end());
    out.slots.resize(out.slots.size() + 3);
    return out;
}

codegen::KernelVariant describe_variant(const ir::CpuVariant& variant, const std::string& machine) {
    codegen::KernelVariant out;
    out.function = &variant.task;
    out.machine = machine;
    if (variant.narrow_index) out.guards = narrow_guards(variant.task);
    if (variant.task.plan) {
        out.task = variant.task.plan->task;
        out.scratch = variant.task.plan->scratch;
    }
    out.plan = plan_text(variant);
    return out;
}

std::string plan_lines(const ir::CpuVariant& variant, const std::string& machine) {
    auto out = fmt::format("  {}: {}\n", machine, plan_text(variant));
    if (!variant.task.plan) return out;
    for (const std::string& reason : variant.task.plan->reasons) out += fmt::format("    {}\n", reason);
    return out;
}

std::vector<std::string> machines_of(const Options& options) {
    if (!options.cpu.empty()) return {options.cpu};
    return {"x86-64-v4", "x86-64-v3", "x86-64"};
}

std::string check_names(const Options& options) {
    if (!options.cpu.empty()) {
        auto known = codegen::check_machine(options.cpu);
        if (!known) return known.message();
    }
    std::vector<std::string> passes;
    for (const auto& step : ir::kernel_pipeline().steps) passes.emplace_back(step.name);
    for (const auto& step : ir::host_pipeline().steps) passes.emplace_back(step.name);
    for (const auto& step : ir::cpu_pipeline().steps) passes.emplace_back(step.name);
    auto asked = options.dump_after;
    std::erase(asked, "all");
    if (!options.stop_after.empty()) asked.push_back(options.stop_after);
    for (const std::string& pass : asked) {
        if (std::ranges::find(passes, pass) != passes.end()) continue;
        auto meant = nearest(pass, passes);
        std::string list;
        for (const std::string& name : passes) list += (list.empty() ? "" : ", ") + name;
        return fmt::format("there is no pass `{}`{} ({})", pass,
                           meant ? fmt::format("; did you mean `{}`?", *meant) : "", list);
    }
    return {};
}

}  // namespace tsr::driver
