#include "driver/schedule.h"

#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "driver/machines.h"
#include "ir/passes/target/cpu/plan.h"
#include "ir/passes/target/gpu/plan.h"

namespace tsr::driver {

namespace {

Schedule::Line* line_of(Schedule::Kernel& kernel, const std::string& machine, bool narrow_index) {
    const auto found = std::ranges::find_if(kernel.lines, [&](const Schedule::Line& line) {
        return line.machine == machine && line.narrow_index == narrow_index;
    });
    return found == kernel.lines.end() ? nullptr : &*found;
}

std::string fault_key(const ir::PlanFault& fault) { return fault.panel ? panel_key(*fault.panel) : fault.field; }

void refuse(const Schedule::Line& line, const ir::PlanFault& fault, const std::string& kernel,
            Diagnostics& diagnostics) {
    const auto place = line.places.find(fault_key(fault));
    diagnostics.error("E0010", place == line.places.end() ? line.place : place->second,
                      fmt::format("`{}` can not be compiled by this plan: {}: {}", kernel, fault.field, fault.why));
}

// What the other kind of machine has no use for.
std::optional<ir::PlanFault> foreign_field(const Schedule::Line& line, bool gpu) {
    for (const auto& [field, place] : line.places) {
        if (gpu != (field == "threads" || field == "stages"))
            return ir::PlanFault{field, fmt::format("{} has no such field", line.machine), {}};
    }
    return std::nullopt;
}

}  // namespace

Schedule::Kernel* Schedule::find(const std::string& name) {
    const auto found = std::ranges::find(kernels_, name, &Kernel::name);
    return found == kernels_.end() ? nullptr : &*found;
}

void Schedule::check_names(const ir::Module& module, Diagnostics& diagnostics) const {
    std::vector<std::string> known;
    for (const ir::Function& function : module.functions) {
        if (function.level == ir::Level::tile) known.push_back(function.name);
    }
    for (const Kernel& kernel : kernels_) {
        if (std::ranges::find(known, kernel.name) != known.end()) continue;
        const auto meant = nearest(kernel.name, known);
        diagnostics.error("E0009", kernel.place,
                          fmt::format("the program has no kernel `{}`{}", kernel.name,
                                      meant ? fmt::format("; did you mean `{}`?", *meant) : ""));
    }
}

ir::CpuFields Schedule::of_cpu(const ir::Function& kernel, const std::string& machine, Diagnostics& diagnostics) {
    ir::CpuFields out;
    Kernel* known = find(kernel.name);
    if (known == nullptr) return out;
    const ir::CpuMachine& planned = *ir::cpu_machine(planned_as(machine));
    Line* plain = line_of(*known, machine, false);
    Line* narrow = line_of(*known, machine, true);
    if (narrow == nullptr) narrow = plain;
    for (const bool of_narrow : {true, false}) {
        Line* line = of_narrow ? narrow : plain;
        if (line == nullptr) continue;
        line->used = true;
        auto fault = foreign_field(*line, false);
        if (!fault) fault = ir::plan_fault(kernel, planned, ir::choose_plan(kernel, planned, of_narrow, line->fields));
        if (fault) refuse(*line, *fault, kernel.name, diagnostics);
        (of_narrow ? out.narrow : out.plain) = line->fields;
    }
    return out;
}

ir::PlanFields Schedule::of_gpu(const ir::Function& kernel, const std::string& machine, Diagnostics& diagnostics) {
    Kernel* known = find(kernel.name);
    Line* line = known == nullptr ? nullptr : line_of(*known, machine, false);
    if (line == nullptr) return {};
    line->used = true;
    const ir::GpuMachine& planned = *ir::gpu_machine(machine);
    auto fault = foreign_field(*line, true);
    if (!fault) fault = ir::gpu_plan_fault(kernel, planned, ir::choose_gpu_plan(kernel, planned, line->fields));
    if (fault) refuse(*line, *fault, kernel.name, diagnostics);
    return line->fields;
}

std::string Schedule::text_of(const std::string& kernel) const {
    const auto found = std::ranges::find(kernels_, kernel, &Kernel::name);
    std::string text;
    if (found == kernels_.end()) return text;
    for (const Line& line : found->lines) {
        text += line.machine;
        for (const auto& [field, place] : line.places)
            text += fmt::format(", {}", text_.substr(place.begin, place.end - place.begin));
        text += '\n';
    }
    return text;
}

void Schedule::tell_unused(Diagnostics& diagnostics) const {
    for (const Kernel& kernel : kernels_) {
        for (const Line& line : kernel.lines) {
            if (line.used) continue;
            diagnostics.warning(
                "W0103", line.place,
                fmt::format("no code of `{}` is made for {}: this plan counts for nothing", kernel.name, line.machine));
        }
    }
}

}  // namespace tsr::driver
