#include "lsp/costs.h"

#include <fmt/format.h>

#include "ir/core/lines.h"
#include "ir/passes/graph/explain_costs.h"
#include "ir/pipeline.h"
#include "sema/elaborate/elaborate.h"

namespace tsr::lsp {

namespace {

// Lines of the root where the operations of a kernel stand; of those of the library, where it is called.
std::set<uint32_t> lines_of(const Analysis& analysis, const ir::Function& graph,
                            const ir::FormedFusions::Fused& fused) {
    std::set<uint32_t> lines;
    for (const ir::OpId id : fused.ops) {
        const ir::PlaceId place = graph.op(id).place;
        if (!place.valid()) continue;
        const Span at = ir::users_span(graph.place_of(place), &analysis.sources);
        if (at.valid() && at.file == analysis.root) lines.insert(analysis.position(at.file, at.begin).line);
    }
    return lines;
}

}  // namespace

std::vector<KernelCost> costs_of(const Analysis& analysis) {
    std::vector<KernelCost> costs;
    if (analysis.diagnostics.has_errors() || analysis.program.modules.empty()) return costs;
    Diagnostics unsaid;
    ir::Module module = sema::elaborate(analysis.program, unsaid);
    if (unsaid.has_errors()) return costs;
    ir::PassOptions options;
    options.verify = false;
    ir::PassManager manager(options);
    ir::lower_graphs(module, manager, unsaid, [&](const ir::Function& graph, const ir::FormedFusions& formed) {
        for (const ir::FormedFusions::Fused& fused : formed.fused) {
            std::set<uint32_t> lines = lines_of(analysis, graph, fused);
            if (lines.empty()) continue;
            const ir::FusionCost cost = ir::cost_of(graph, fused);
            costs.push_back(
                {graph.name, std::move(lines), cost.operations.text(), cost.bytes.text(), ir::intensity_text(cost)});
        }
    });
    return unsaid.has_errors() ? std::vector<KernelCost>() : costs;
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

}  // namespace tsr::lsp
