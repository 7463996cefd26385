#include "driver/machines.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <dlfcn.h>
#include <fmt/core.h>

#include "codegen/codegen.h"
#include "driver/cache.h"
#include "ir/machine/gpu.h"
#include "ir/ops/effects.h"
#include "ir/passes/autodiff/differentiate.h"
#include "ir/passes/target/cpu/choose_plan.h"
#include "ir/passes/target/cpu/tiles/widen_products.h"
#include "runtime/abi.h"
#include "runtime/abi/x86.h"

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

std::vector<std::string> machines_of(const Options& options) {
    if (!options.cpu.empty()) return {options.cpu};
    return {"x86-64-v4", "x86-64-v3", "x86-64"};
}

namespace {

// Whether code for a level runs on this machine, as far as TESSERA_CPU lets it.
bool runs_here(const std::string& level) {
    if (level == "x86-64") return true;
#define TSR_LEVEL(suffix, features) \
    if (level == "x86-64-" suffix) return (tsr_cpu_features() & (features)) == (features);
    TSR_CPU_LEVELS(TSR_LEVEL)
#undef TSR_LEVEL
    return false;
}

// Whether a program that is run now could find a GPU.
bool has_gpu_driver() {
    const auto value = [](const char* variable) {
        const char* given = std::getenv(variable);
        return std::string_view(given != nullptr ? given : "");
    };
    const std::string_view device = value("TESSERA_DEVICE");
    if (device == "cpu") return false;
    if (!device.empty() || !value("TESSERA_CUDA_DRIVER").empty()) return true;
    static const bool found = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL) != nullptr;
    return found;
}

}  // namespace

std::vector<std::string> machines_of(const Options& options, const ir::Function& kernel) {
    auto machines = machines_of(options);
    if (!options.cpu.empty()) return machines;
    bool matrices = false;
    bool bytes = false;
    bool pairs = false;
    ir::for_each_op(kernel, kernel.body, [&](ir::OpId id) {
        if (kernel.op(id).kind != ir::OpKind::mma) return;
        matrices = matrices || ir::suits_matrix_unit(kernel, id);
        bytes = bytes || ir::suits_sums_of_bytes(kernel, id);
        pairs = pairs || ir::suits_sums_of_bf16(kernel, id);
    });
    if (bytes) machines = {"x86-64-v4-vnni", "x86-64-v4", "x86-64-v3-vnni", "x86-64-v3", "x86-64"};
    if (pairs) machines.insert(machines.begin(), "x86-64-v4-bf16");
    if (matrices) machines.insert(machines.begin(), "x86-64-v4-amx");
    // A program that runs here and now runs the first that this machine has.
    if (options.command == Command::run) machines = {*std::ranges::find_if(machines, runs_here)};
    return machines;
}

std::string this_machine(const Options& options) {
    return fmt::format("{:x} {}", options.cpu.empty() ? tsr_cpu_features() : 0,
                       options.targets.empty() && has_gpu_driver() ? "gpu" : "");
}

std::vector<std::string> target_names() {
    auto names = ir::gpu_machine_names();
    names.insert(names.begin(), "cpu");
    return names;
}

bool names_gpus(const Options& options) {
    return std::ranges::any_of(options.targets, [](const std::string& name) { return name != "cpu"; });
}

namespace {

// Whether what is written has a place for code for GPUs that nobody named.
bool takes_all_targets(const Options& options) {
    switch (options.emit) {
        case Emit::executable:
        case Emit::shared:
        case Emit::object:
        case Emit::ptx:
        case Emit::cubin:
            return true;
        default:
            return options.makes_library();
    }
}

}  // namespace

bool wants_cpu(const Options& options) {
    if (options.emit == Emit::ptx || options.emit == Emit::cubin) return false;
    return takes_all_targets(options) || !names_gpus(options) ||
           std::ranges::find(options.targets, "cpu") != options.targets.end();
}

std::vector<std::string> gpus_of(const Options& options) {
    std::vector<std::string> gpus = options.targets;
    const bool any = takes_all_targets(options) && (options.command != Command::run || has_gpu_driver());
    if (gpus.empty() && any) gpus = {"sm_75", "sm_80", "sm_90a"};
    std::erase(gpus, "cpu");
    std::ranges::stable_sort(gpus, [](const std::string& a, const std::string& b) {
        const ir::GpuMachine& first = *ir::gpu_machine(a);
        const ir::GpuMachine& second = *ir::gpu_machine(b);
        return std::pair(first.exact, first.capability) > std::pair(second.exact, second.capability);
    });
    return gpus;
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
    add(ir::graph_pipeline());
    names.emplace_back(ir::differentiate_pass().name);
    for (const ir::ModulePass& pass : ir::graph_passes()) names.emplace_back(pass.name);
    add(ir::kernel_pipeline());
    names.emplace_back(ir::drop_points_pass({}).name);
    names.emplace_back(ir::keep_first_points_pass().name);
    add(ir::host_pipeline());
    std::vector<ir::PackedOperand> packed;
    add(ir::cpu_product_pipeline(packed));
    add(ir::cpu_pipeline());
    add(ir::gpu_pipeline(*ir::gpu_machine("sm_80")));
    add(ir::narrow_pipeline({}));
    return names;
}

std::string check_names(const Options& options) {
    if (!options.cpu.empty()) {
        auto known = codegen::check_machine(options.cpu);
        if (!known) return known.message();
    }
    if (auto wrong = check_cache_folder(); !wrong.empty()) return wrong;
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
