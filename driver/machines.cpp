#include "driver/machines.h"

#include <algorithm>

#include <fmt/core.h>

#include "codegen/codegen.h"
#include "ir/ops/effects.h"
#include "ir/passes/target/cpu/plan.h"
#include "ir/passes/target/cpu/tiles/widen_products.h"

namespace tsr::driver {

std::string planned_as(const std::string& machine) {
    if (ir::cpu_machine(machine) != nullptr) return machine;
    std::string best = "x86-64";
    if (machine != "native") return best;
    for (const std::string& level : codegen::levels_of_host()) {
        if (ir::cpu_machine(level) != nullptr) best = level;
    }
    return best;
}

std::string plan_lines(const ir::Plan& plan) {
    auto out = fmt::format("  {}: lanes {} x {}, task {}{}\n", plan.machine, plan.lanes, plan.interleave, plan.task,
                           plan.narrow_index ? ", 32-bit indices where all sizes are below 2^30" : "");
    for (const std::string& reason : plan.reasons) out += fmt::format("    {}\n", reason);
    return out;
}

std::vector<std::string> machines_of(const Options& options) {
    if (!options.cpu.empty()) return {options.cpu};
    return {"x86-64-v4", "x86-64-v3", "x86-64"};
}

std::vector<std::string> machines_of(const Options& options, const ir::Function& kernel) {
    auto machines = machines_of(options);
    if (!options.cpu.empty()) return machines;
    bool suits = false;
    ir::for_each_op(kernel, kernel.body, [&](ir::OpId id) {
        suits = suits || (kernel.op(id).kind == ir::OpKind::mma && ir::suits_matrix_unit(kernel, id));
    });
    if (suits) machines.insert(machines.begin(), "x86-64-v4-amx");
    return machines;
}

std::vector<std::string> machine_names() {
    auto names = ir::cpu_machine_names();
    names.insert(names.begin(), "native");
    return names;
}

std::vector<std::string> pass_names() {
    std::vector<std::string> names;
    auto add = [&](const auto& pipeline) {
        for (const auto& step : pipeline.steps) names.emplace_back(step.name);
    };
    add(ir::kernel_pipeline());
    add(ir::host_pipeline());
    std::vector<ir::PackedOperand> packed;
    add(ir::cpu_product_pipeline(packed));
    add(ir::cpu_pipeline());
    return names;
}

std::string check_names(const Options& options) {
    if (!options.cpu.empty()) {
        auto known = codegen::check_machine(options.cpu);
        if (!known) return known.message();
    }
    auto passes = pass_names();
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
