#include "lsp/costs.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/core/lines.h"
#include "ir/machine/gpu.h"
#include "ir/numerics/roundings.h"
#include "ir/ops/effects.h"
#include "ir/passes/graph/explain_costs.h"
#include "ir/passes/target/gpu/tiles/registers.h"
#include "ir/pipeline.h"
#include "sema/elaborate/elaborate.h"

namespace tsr::lsp {

namespace {

// The line of the root where an operation stands; of one of the library, where it is called. Nothing of other files.
std::optional<uint32_t> line_of(const Analysis& analysis, const ir::Function& function, ir::PlaceId place) {
    if (!place.valid()) return std::nullopt;
    const Span at = ir::users_span(function.place_of(place), &analysis.sources);
    if (!at.valid() || at.file != analysis.root) return std::nullopt;
    return analysis.position(at.file, at.begin).line;
}

std::set<uint32_t> lines_of(const Analysis& analysis, const ir::Function& graph,
                            const ir::FormedFusions::Fused& fused) {
    std::set<uint32_t> lines;
    for (const ir::OpId id : fused.ops) {
        if (const auto line = line_of(analysis, graph, graph.op(id).place)) lines.insert(*line);
    }
    return lines;
}

// Bytes of what one of the fused functions writes and another one reads.
ir::Dim kept_by(const ir::Function& graph, const ir::FormedFusions& formed, const ir::FormedFusions::Fused& fused) {
    ir::Dim bytes;
    for (const ir::ValueId value : fused.outputs) {
        const bool read = std::ranges::any_of(formed.fused, [&](const ir::FormedFusions::Fused& other) {
            return &other != &fused && std::ranges::find(other.inputs, value) != other.inputs.end();
        });
        if (read && graph.type(value).kind == ir::TypeKind::tensor) bytes = bytes + ir::bytes_of(graph.type(value));
    }
    return bytes;
}

// "grad(f)", "f.backward": what the compiler made of a function, no name that somebody wrote.
bool is_derivative(const std::string& function) { return function.find('(') != std::string::npos; }

ir::PassManager quick_manager() {
    ir::PassOptions options;
    options.verify = false;
    return ir::PassManager(options);
}

}  // namespace

Costs::Costs(const Analysis& analysis, const std::string& target) {
    if (!analysis.sound) return;
    const ir::GpuMachine* machine = ir::gpu_machine(target);
    Diagnostics unsaid;
    module_ = sema::elaborate(analysis.program, unsaid);
    if (unsaid.has_errors()) return;
    find_roundings(analysis);
    ir::PassManager manager = quick_manager();
    const auto fusions = [&](const ir::Function& graph, const ir::FormedFusions& formed) {
        ir::Dim kept_by_all;
        for (const ir::FormedFusions::Fused& fused : formed.fused) {
            const ir::Dim kept = kept_by(graph, formed, fused);
            kept_by_all = kept_by_all + kept;
            std::set<uint32_t> lines = lines_of(analysis, graph, fused);
            if (lines.empty()) continue;
            const ir::FusionCost cost = ir::cost_of(graph, fused);
            kernels_.push_back({graph.name, fused.function.name, std::move(lines), cost.operations.text(),
                                cost.bytes.text(), kept == ir::Dim() ? "" : kept.text(), ir::intensity_text(cost),
                                machine ? ir::limit_text(graph, fused, *machine) : ""});
        }
        const auto line = is_derivative(graph.name) ? line_of(analysis, graph, graph.place) : std::nullopt;
        if (line) derivatives_.push_back({graph.name, *line, formed.fused.size(), kept_by_all.text() + " B"});
    };
    ir::lower_graphs(module_, manager, unsaid, fusions,
                     [&](const std::string& fused, const std::string& kernel) { shared_[fused] = kernel; });
    if (!unsaid.has_errors()) return;
    kernels_.clear();
    derivatives_.clear();
}

void Costs::find_roundings(const Analysis& analysis) {
    std::set<std::pair<Rounding, uint32_t>> seen;  // each place of the text once, whatever it is compiled for
    for (const ir::Function& function : module_.functions) {
        ir::for_each_op(function, function.body, [&](ir::OpId id) {
            for (const ir::RoundingPoint& point : ir::roundings_of(function, id)) {
                // Into narrower floats: arithmetic rounds everywhere.
                if (!point.from || !is_float(*point.from) || bits(point.to) >= bits(*point.from)) continue;
                const ir::PlaceId place = function.op(id).place;
                const auto line = line_of(analysis, function, place);
                if (!line) continue;
                const Rounding rounding{*line, std::string(name(*point.from)), std::string(name(point.to))};
                const Span at = ir::users_span(function.place_of(place), &analysis.sources);
                if (seen.insert({rounding, at.begin}).second) ++roundings_[rounding];
            }
        });
    }
}

const std::string& Costs::resources(const std::string& kernel, const std::string& target) {
    const auto shared = shared_.find(kernel);
    const std::pair key{shared == shared_.end() ? kernel : shared->second, target};
    const auto found = resources_.find(key);
    return found != resources_.end() ? found->second
                                     : resources_.emplace(key, resources_of(key.first, target)).first->second;
}

std::string Costs::resources_of(const std::string& kernel, const std::string& target) {
    const ir::GpuMachine* machine = ir::gpu_machine(target);
    if (!machine || !module_.find(kernel)) return {};
    ir::PassManager manager = quick_manager();
    Diagnostics unsaid;
    if (!kernels_lowered_) {
        ir::Module lowered = module_;  // it may be given up halfway
        if (ir::lower_kernels(lowered, manager, ir::Points::all, unsaid) != ir::PassOutcome::done) return {};
        module_ = std::move(lowered);
        kernels_lowered_ = true;
    }
    const ir::Function* function = module_.find(kernel);
    if (!function || !function->is_kernel) return {};
    ir::Module scratch;  // what passes add
    ir::GpuCode code;
    const ir::PassOutcome outcome = ir::lower_to_gpu(*function, *machine, {}, scratch, manager, unsaid, code);
    if (code.without) return "no code: " + code.without->what;
    if (outcome != ir::PassOutcome::done || code.threads.empty()) return {};
    const ir::Function& thread = code.threads.front();
    const ir::GpuPlan& plan = thread.plan->gpu();
    std::string text =
        fmt::format("{} threads a block, {} B of shared memory, at most {} registers a thread", plan.block_threads(),
                    thread.scratch_bytes, ir::registers_of_thread(plan.threads, *machine));
    if (const int64_t carried = ir::carried_registers(*function, plan.threads); carried > 0)
        text += fmt::format(", {} of them carried by a loop", carried);
    return text;
}

std::string told_at(const KernelCost& cost, uint32_t at) {
    std::string others;
    size_t left = cost.lines.size() - cost.lines.count(at);
    for (const uint32_t line : cost.lines) {
        if (line == at) continue;
        others += fmt::format("{}{}", others.empty() ? "" : left == 1 ? " and " : ", ", line + 1);
        --left;
    }
    const bool several = others.find_first_not_of("0123456789") != std::string::npos;
    const std::string with = others.empty() ? "" : fmt::format(" with {} {}", several ? "lines" : "line", others);
    return fmt::format("one kernel{}: {} operations, {} B", with, cost.operations, cost.bytes);
}

std::string told(const DerivativeCost& cost) {
    return fmt::format("{}: {} kernel{}, which keep{} {} for each other", cost.function, cost.kernels,
                       cost.kernels == 1 ? "" : "s", cost.kernels == 1 ? "s" : "", cost.kept);
}

std::string told(const Rounding& rounding, size_t times) {
    const std::string often = times == 1 ? "" : times == 2 ? " twice" : fmt::format(" {} times", times);
    return fmt::format("rounds {} to {}{}", rounding.from, rounding.to, often);
}

}  // namespace tsr::lsp
