// `textDocument/codeLens`: over each kernel and graph function what it costs; commands, where the client has them.
#include <algorithm>

#include <fmt/format.h>

#include "lsp/costs.h"
#include "lsp/methods.h"
#include "lsp/places.h"
#include "lsp/protocol.h"

namespace tsr::lsp {

namespace {

// What a client carries out: it says so, as `experimental: {commands: {commands: [NAME…]}}`. Arguments: the document,
// the function's name, and of `tessera.show` the level.
struct LensCommand {
    const char* name;
    const char* title;
    const char* level;  // of `--emit`; empty: none
    bool of_main;
    bool of_kernel;
    bool of_graph;
};
constexpr LensCommand kLensCommands[] = {
    {"tessera.run", "Run", "", true, false, false},
    {"tessera.interpret", "Interpret with sanitizers", "", true, false, false},
    {"tessera.show", "Graph IR", "graph", false, false, true},
    {"tessera.show", "Tile IR", "tile", false, true, false},
    {"tessera.show", "Schedule", "schedule", false, true, true},
    {"tessera.show", "PTX", "ptx", false, true, true},
};

class Lenses {
public:
    Lenses(const Place& place, const Json& client)
        : place_(place), known_(below(client, {"experimental", "commands", "commands"})), costs_(place.analysis.costs()) {}

    Json run() {
        const sema::Program& program = place_.program();
        for (const sema::Function& function : program.functions) {
            if (function.module != kRoot || function.makes || function.derived) continue;
            const ast::FunctionDef& def = program.def(function);
            if (!def.header.valid() || def.header.file != place_.analysis.root) continue;
            const bool kernel = function.kind == sema::FunctionKind::kernel;
            const bool graph = function.kind == sema::FunctionKind::graph;
            if (costs_) costs(def);
            for (const LensCommand& command : kLensCommands) {
                const bool here = (command.of_kernel && kernel) || (command.of_graph && graph) ||
                                  (command.of_main && !kernel && !graph && def.name.text == "main");
                if (here) offer(def, command);
            }
        }
        return std::move(found_);
    }

private:
    void add(const ast::FunctionDef& def, Json command) {
        found_.push_back({{"range", place_.analysis.range(def.name.span)}, {"command", std::move(command)}});
    }

    // A command without a name is a text.
    void tell(const ast::FunctionDef& def, const std::string& title) { add(def, {{"title", title}, {"command", ""}}); }

    void costs(const ast::FunctionDef& def) {
        std::vector<std::string> told;  // equal ones, of several signatures, once
        const auto once = [&](std::string title) {
            if (std::ranges::find(told, title) != told.end()) return;
            tell(def, title);
            told.push_back(std::move(title));
        };
        for (const Costs::Graph* graph : costs_->graphs_at(def.name.span.begin)) {
            const size_t count = graph->fusions.size();
            std::string title = count == 0 ? "no kernels" : fmt::format("{} kernel{}", count, count == 1 ? "" : "s");
            if (count == 1) title += fmt::format(", {} moved", graph->fusions.front().moved);
            if (graph->memory) title += fmt::format(", at most {} B at once beside the arguments", *graph->memory);
            once(std::move(title));
        }
        for (const Costs::Kernel* kernel : costs_->kernels_at(def.name.span.begin)) once(kernel->touches);
    }

    void offer(const ast::FunctionDef& def, const LensCommand& command) {
        if (!known_.is_array() || std::ranges::find(known_, Json(command.name)) == known_.end()) return;
        Json arguments = {place_.document.uri, def.name.text};
        if (*command.level != 0) arguments.push_back(command.level);
        add(def, {{"title", command.title}, {"command", command.name}, {"arguments", std::move(arguments)}});
    }

    const Place& place_;
    const Json& known_;
    std::shared_ptr<const Costs> costs_;
    Json found_ = Json::array();
};

}  // namespace

Json answer_code_lens(Workspace& workspace, const Json& params) {
    const auto place = place_of(workspace, params);
    if (!place || !workspace.settings.lenses) return Json::array();
    return Lenses(*place, workspace.client).run();
}

}  // namespace tsr::lsp
