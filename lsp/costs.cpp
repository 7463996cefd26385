#include "lsp/costs.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "ir/core/lines.h"
#include "ir/machine/gpu.h"
#include "ir/ops/effects.h"
#include "ir/passes/graph/explain_costs.h"
#include "ir/passes/graph/explain_fusions.h"
#include "ir/passes/host/explain_memory.h"
#include "ir/passes/target/gpu/registers.h"
#include "ir/passes/tile/walk.h"
#include "ir/pipeline.h"
#include "lsp/analysis.h"
#include "lsp/places.h"
#include "lsp/protocol.h"
#include "sema/elaborate/elaborate.h"

namespace tsr::lsp {

namespace {

bool holds(Span span, uint32_t offset) { return span.valid() && span.begin <= offset && offset <= span.end; }

// GPUs whose code is told of: those that a program gets code for without being asked, but the oldest.
constexpr const char* kShownGpus[] = {"sm_80", "sm_90a"};

// Bytes of a formula, as people read it.
std::string bytes_text(const ir::Dim& bytes) { return sema::readable(bytes.text()) + " B"; }

class CostFinder {
public:
    CostFinder(const Analysis& analysis, const std::atomic<bool>& cancel)
        : analysis_(analysis), cancel_(cancel), manager_(options(cancel)) {}

    Costs run() {
        ir::Module module = sema::elaborate(analysis_.program, diagnostics_, &cancel_);
        stop_if_cancelled();
        const auto observe = [&](const ir::Function& graph, const ir::FormedFusions& formed) {
            stop_if_cancelled();
            add_graph(graph, formed);
        };
        std::set<std::string> written;  // kernels of the program's text; fusions become others
        for (const ir::Function& function : module.functions) {
            if (function.is_kernel) written.insert(function.name);
        }
        if (ir::lower_graphs(module, manager_, diagnostics_, observe) != ir::PassOutcome::done) return std::move(costs_);
        if (ir::lower_kernels(module, manager_, ir::Points::first, diagnostics_) != ir::PassOutcome::done)
            return std::move(costs_);
        for (const ir::Function& function : module.functions) {
            if (written.contains(function.name)) add_kernel(function, module);
        }
        if (ir::lower_hosts(module, manager_, diagnostics_) == ir::PassOutcome::done) add_memory(module);
        return std::move(costs_);
    }

private:
    static ir::PassOptions options(const std::atomic<bool>& cancel) {
        ir::PassOptions options;
        options.verify = false;
        options.cancel = &cancel;
        return options;
    }

    void stop_if_cancelled() const {
        if (cancel_.load()) throw Cancelled();
    }

    // The range in the root's text, of what other files do that of the call; invalid where it has no part in it.
    [[nodiscard]] Span in_root(const ir::Function& function, ir::PlaceId id) const {
        if (!id.valid()) return {};
        const ir::Place& place = function.place_of(id);
        if (place.span.file == analysis_.root) return place.span;
        const auto call = std::ranges::find(place.inlined_at, analysis_.root, &Span::file);
        return call == place.inlined_at.end() ? Span{} : *call;
    }

    [[nodiscard]] uint32_t line(Span span) const { return analysis_.sources.position(span.file, span.begin).line; }

    void add_graph(const ir::Function& graph, const ir::FormedFusions& formed) {
        const Span header = in_root(graph, graph.place);
        Costs::Graph made{.header = header};
        for (const sema::Function& function : analysis_.program.functions) {
            if (function.module != kRoot || function.makes || function.derived) continue;
            const Span own = analysis_.program.def(function).header;
            made.is_function |= own.valid() && own == header;
        }
        for (const ir::FormedFusions::Fused& fused : formed.fused) {
            Costs::Fusion& fusion = made.fusions.emplace_back();
            const ir::FusionCost cost = ir::fusion_cost(graph, fused);
            fusion.name = fused.function.name;
            fusion.form = ir::form_text(fused.function);
            fusion.work = fmt::format("{} operations, reads {}, writes {}", sema::readable(cost.operations.text()),
                                      bytes_text(cost.read), bytes_text(cost.written));
            fusion.moved = bytes_text(cost.read + cost.written);
            if (const auto rate = cost.operations_for_a_byte()) {
                const bool fixed = (cost.read + cost.written).symbols().empty();
                fusion.rate = fmt::format("{:.3g} operations for a byte{}", *rate,
                                          fixed ? "" : " where each dimension is 1024");
            }
            add_places(graph, fused, fusion);
        }
        const bool shown = header.valid() || std::ranges::any_of(made.fusions, [](const auto& f) { return !f.places.empty(); });
        if (!shown) return;
        graph_names_.push_back(graph.name);
        costs_.graphs.push_back(std::move(made));
    }

    void add_places(const ir::Function& graph, const ir::FormedFusions::Fused& fused, Costs::Fusion& fusion) const {
        std::set<uint32_t> lines;
        for (const ir::OpId op : fused.ops) {
            const Span at = in_root(graph, graph.op(op).place);
            if (!at.valid()) continue;
            if (std::ranges::find(fusion.places, at) == fusion.places.end()) fusion.places.push_back(at);
            lines.insert(line(at));
        }
        fusion.lines.assign(lines.begin(), lines.end());
    }

    void add_memory(const ir::Module& module) {
        for (size_t i = 0; i < graph_names_.size(); ++i) {
            const ir::Function* host = module.find(graph_names_[i]);
            if (host == nullptr || !costs_.graphs[i].is_function) continue;
            costs_.graphs[i].memory = sema::readable(ir::memory_use(*host, analysis_.sources).most_text());
        }
    }

    void add_kernel(const ir::Function& kernel, ir::Module& module) {
        const Span header = in_root(kernel, kernel.place);
        const auto& point = kernel.kernel.point;
        if (!header.valid() || (point && !tuned_.insert(point->kernel).second)) return;
        Costs::Kernel& made = costs_.kernels.emplace_back();
        made.header = header;
        made.point = point ? point->text() : std::string();
        made.touches = touched(kernel);
        for (const char* name : kShownGpus) {
            const ir::GpuMachine& machine = *ir::gpu_machine(name);
            ir::GpuCode code;
            Diagnostics refused;
            const auto outcome = ir::lower_to_gpu(kernel, machine, {}, module, manager_, refused, code);
            std::string text = outcome == ir::PassOutcome::done ? gpu_text(kernel, machine, code) : std::string();
            if (!text.empty()) made.machines.push_back({name, std::move(text)});
        }
    }

    // The tensors of a kernel, by what it does with them.
    static std::string touched(const ir::Function& kernel) {
        std::set<ir::ValueId> read, written;
        ir::for_each_op(kernel, kernel.body, [&](ir::OpId id) {
            for (const ir::ValueId v : ir::read_memories(kernel, kernel.op(id))) read.insert(ir::memory_root(kernel, v));
            for (const ir::ValueId v : ir::written_memories(kernel, kernel.op(id))) written.insert(ir::memory_root(kernel, v));
        });
        const auto text = [&](const std::set<ir::ValueId>& some) {
            std::string all;
            for (const ir::ValueId v : kernel.region(kernel.body).args) {
                if (kernel.type(v).kind != ir::TypeKind::tensor || !some.contains(v)) continue;
                all += fmt::format("{}{} ({})", all.empty() ? "" : ", ", kernel.value(v).name,
                                   bytes_text(ir::bytes_of(kernel.type(v))));
            }
            return all.empty() ? std::string("no tensor") : all;
        };
        return fmt::format("reads {}; writes {}", text(read), text(written));
    }

    static std::string gpu_text(const ir::Function& kernel, const ir::GpuMachine& machine, const ir::GpuCode& code) {
        if (code.threads.empty())
            return code.without ? fmt::format("no code: it lacks {}", code.without->what) : std::string();
        const ir::Function& thread = code.threads.front();
        const ir::GpuPlan& plan = thread.plan->gpu();
        std::string text = fmt::format("a block has {} threads", plan.block_threads());
        if (thread.scratch_bytes > 0)
            text += fmt::format(" and {} of {} B of shared memory", thread.scratch_bytes, machine.shared_bytes);
        if (plan.stages > 1) text += fmt::format(", {} pipeline stages", plan.stages);
        if (plan.tiles_per_thread > 1) text += fmt::format(", {} tiles for a thread", plan.tiles_per_thread);
        if (plan.cluster() > 1) text += fmt::format(", clusters of {} x {}", plan.cluster_rows, plan.cluster_columns);
        if (plan.box_copies) text += ", TMA tensor copies";
        if (const int64_t carried = ir::carried_registers(kernel, plan.threads); carried > 0)
            text += fmt::format(", loops carry {} registers of a thread", carried);
        return text;
    }

    const Analysis& analysis_;
    const std::atomic<bool>& cancel_;
    Diagnostics diagnostics_;  // nobody sees them: those of a sound program were told when it was checked
    ir::PassManager manager_;
    Costs costs_;
    std::set<std::string> tuned_;           // kernels of which a point was told of
    std::vector<std::string> graph_names_;  // of `costs_.graphs`
};

}  // namespace

std::vector<const Costs::Graph*> Costs::graphs_at(uint32_t offset) const {
    std::vector<const Graph*> found;
    for (const Graph& graph : graphs) {
        if (graph.is_function && holds(graph.header, offset)) found.push_back(&graph);
    }
    return found;
}

std::vector<const Costs::Kernel*> Costs::kernels_at(uint32_t offset) const {
    std::vector<const Kernel*> found;
    for (const Kernel& kernel : kernels) {
        if (holds(kernel.header, offset)) found.push_back(&kernel);
    }
    return found;
}

std::vector<const Costs::Fusion*> Costs::fusions_at(uint32_t offset, uint32_t line) const {
    std::vector<const Fusion*> exact, of_line;
    uint32_t smallest = UINT32_MAX;
    for (const Graph& graph : graphs) {
        for (const Fusion& fusion : graph.fusions) {
            if (std::ranges::find(fusion.lines, line) != fusion.lines.end()) of_line.push_back(&fusion);
            for (const Span place : fusion.places) {
                if (!holds(place, offset) || place.end - place.begin > smallest) continue;
                if (place.end - place.begin < smallest) exact.clear();
                smallest = place.end - place.begin;
                if (exact.empty() || exact.back() != &fusion) exact.push_back(&fusion);
            }
        }
    }
    return exact.empty() ? of_line : exact;
}

std::string lines_text(const std::vector<uint32_t>& lines) {
    std::vector<std::string> parts;
    for (size_t i = 0; i < lines.size();) {
        size_t last = i;
        while (last + 1 < lines.size() && lines[last + 1] == lines[last] + 1) ++last;
        parts.push_back(last == i ? fmt::format("{}", lines[i]) : fmt::format("{} to {}", lines[i], lines[last]));
        i = last + 1;
    }
    std::string text = lines.size() == 1 ? "line " : "lines ";
    for (size_t i = 0; i < parts.size(); ++i) text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
    return text;
}

Costs find_costs(const Analysis& analysis, const std::atomic<bool>& cancel) {
    try {
        return CostFinder(analysis, cancel).run();
    } catch (const ir::PassesCancelled&) {
        throw Cancelled();
    }
}

}  // namespace tsr::lsp
