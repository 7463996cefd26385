#include "driver/schedule.h"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/core.h>

#include "driver/machines.h"
#include "ir/passes/graph/value_names.h"
#include "ir/passes/target/cpu/choose_plan.h"
#include "ir/passes/target/gpu/choose_plan.h"

namespace tsr::driver {

namespace {

enum class Guard : uint8_t { none, narrow_index, split, boxes };

Schedule::Line* line_of(Schedule::Kernel& kernel, const std::string& machine, Guard guard) {
    const auto found = std::ranges::find_if(kernel.lines, [&](const Schedule::Line& line) {
        return line.machine == machine && line.narrow_index == (guard == Guard::narrow_index) &&
               line.split == (guard == Guard::split) && line.boxes == (guard == Guard::boxes);
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
        const bool of_gpus =
            field == "threads" || field == "stages" || field == "cluster" || field == "boxes" || field == "parts";
        if (gpu != of_gpus) return ir::PlanFault{field, fmt::format("{} has no such field", line.machine), {}};
    }
    return std::nullopt;
}

}  // namespace

Schedule::Kernel* Schedule::find(const std::string& name) {
    const auto found = std::ranges::find(kernels_, name, &Kernel::name);
    return found == kernels_.end() ? nullptr : &*found;
}

namespace {

// Kernels or graphs that the program does not have.
template <class Given>
void check_known(const std::vector<Given>& all, const char* what, const std::vector<std::string>& known,
                 Diagnostics& diagnostics) {
    for (const Given& given : all) {
        if (std::ranges::find(known, given.name) != known.end()) continue;
        const auto meant = nearest(given.name, known);
        diagnostics.error("E0009", given.place,
                          fmt::format("the program has no {} `{}`{}", what, given.name,
                                      meant ? fmt::format("; did you mean `{}`?", *meant) : ""));
    }
}

}  // namespace

void Schedule::check_names(const ir::Module& module, Diagnostics& diagnostics) const {
    std::vector<std::string> known;
    for (const ir::Function& function : module.functions) {
        if (function.level == ir::Level::tile) known.push_back(function.name);
    }
    check_known(kernels_, "kernel", known, diagnostics);
}

void Schedule::check_graphs(const std::vector<std::string>& known, Diagnostics& diagnostics) const {
    check_known(graphs_, "graph", known, diagnostics);
}

ir::GivenFusions Schedule::fusions(const Sources& sources) const {
    ir::GivenFusions given{.sources = &sources, .of_graphs = {}};
    for (const Graph& graph : graphs_) given.of_graphs[graph.name] = graph.lines;
    return given;
}

void Schedule::compare_regions(const ir::Function& graph, const ir::FormedFusions& formed, const Sources& sources,
                               Diagnostics& diagnostics) {
    const auto given = std::ranges::find(graphs_, graph.name, &Graph::name);
    if (given == graphs_.end() || given->regions.empty()) return;
    const ir::ValueNames names(graph, sources);
    for (const Region& region : given->regions) {
        std::set<ir::OpId> said;
        for (const ir::GivenFusion::Named& value : region.values) {
            if (const auto op = names.find(value.name)) {
                said.insert(*op);
            } else {
                ir::refuse_name(value, graph.name, names.computed(), diagnostics);
            }
        }
        const auto same = std::ranges::any_of(formed.fused, [&](const ir::FormedFusions::Fused& fused) {
            return fused.function.name == region.name && std::set<ir::OpId>(fused.ops.begin(), fused.ops.end()) == said;
        });
        if (!same) leave_out(region.name, diagnostics);
    }
}

void Schedule::leave_out(const std::string& region, Diagnostics& diagnostics) {
    const auto of_region = [&](const Kernel& kernel) {
        return kernel.name == region || kernel.name.starts_with(region + ".");
    };
    const auto first = std::ranges::find_if(kernels_, of_region);
    if (first == kernels_.end()) return;
    diagnostics.warning("W0103", first->place,
                        fmt::format("`{}` does not hold what its `region` says: its plans count for nothing", region));
    std::erase_if(kernels_, of_region);
}

namespace {

// What the line of a plan without a guard says to the plan for few groups.
ir::CpuPlanFields for_few_groups(ir::CpuPlanFields fields) {
    fields.task.reset();
    fields.pack.reset();
    return fields;
}

std::optional<ir::PlanFault> fault_of(const ir::Function& kernel, const ir::CpuMachine& machine,
                                      const Schedule::Line& line, Guard guard, const ir::CpuPlanFields& fields) {
    if (auto fault = foreign_field(line, false)) return fault;
    if (guard != Guard::split) {
        if (fields.most_groups) return ir::PlanFault{"groups", "it stands beside `split`"};
        const bool narrow = guard == Guard::narrow_index;
        return ir::plan_fault(kernel, machine, ir::choose_plan(kernel, machine, narrow, fields));
    }
    if (fields.split == 0) return std::nullopt;
    const auto plan = ir::choose_split_plan(kernel, machine, fields);
    if (plan) return ir::plan_fault(kernel, machine, *plan);
    return line.split ? std::optional(ir::PlanFault{"split", "the kernel has no sum over k that can be split"})
                      : std::nullopt;
}

}  // namespace

ir::CpuFields Schedule::of_cpu(const ir::Function& kernel, const std::string& machine, Diagnostics& diagnostics) {
    ir::CpuFields out;
    Kernel* known = find(kernel.name);
    if (known == nullptr) return out;
    const ir::CpuMachine& planned = *ir::cpu_machine(planned_as(machine));
    Line* plain = line_of(*known, machine, Guard::none);
    for (const Guard guard : {Guard::none, Guard::narrow_index, Guard::split}) {
        Line* own = line_of(*known, machine, guard);
        Line* line = own == nullptr ? plain : own;
        if (line == nullptr) continue;
        line->used = true;
        ir::CpuPlanFields& fields = guard == Guard::none ? out.plain : guard == Guard::split ? out.split : out.narrow;
        fields = guard == Guard::split && own == nullptr ? for_few_groups(line->cpu) : line->cpu;
        if (auto fault = fault_of(kernel, planned, *line, guard, fields))
            refuse(*line, *fault, kernel.name, diagnostics);
    }
    return out;
}

ir::GpuFields Schedule::of_gpu(const ir::Function& kernel, const std::string& machine, Diagnostics& diagnostics) {
    ir::GpuFields out;
    Kernel* known = find(kernel.name);
    if (known == nullptr) return out;
    const ir::GpuMachine& planned = *ir::gpu_machine(machine);
    Line* plain = line_of(*known, machine, Guard::none);
    Line* boxes = planned.box_copies ? line_of(*known, machine, Guard::boxes) : nullptr;
    for (Line* line : {plain, boxes}) {
        if (line == nullptr) continue;
        line->used = true;
        // What a line says of both is what the one for boxes can do.
        const bool alone = line == plain && boxes != nullptr;
        const ir::GpuMachine to = alone ? ir::without_boxes(planned) : planned;
        auto fault = foreign_field(*line, true);
        if (!fault) fault = ir::gpu_plan_fault(kernel, to, ir::choose_gpu_plan(kernel, to, line->gpu));
        if (fault) refuse(*line, *fault, kernel.name, diagnostics);
    }
    if (plain != nullptr) out.plain = plain->gpu;
    if (const Line* line = boxes != nullptr ? boxes : plain; line != nullptr) out.boxes = line->gpu;
    return out;
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
