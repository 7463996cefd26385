// `textDocument/codeLens`: above functions what can be done with them. The commands are those of `commands.cpp`.
#include <fmt/format.h>

#include "lsp/commands.h"
#include "lsp/gradient_check.h"
#include "lsp/methods.h"
#include "lsp/places.h"
#include "lsp/protocol.h"

namespace tsr::lsp {

namespace {

class Lenses {
public:
    Lenses(const Place& place, const Settings& settings) : place_(place), settings_(settings) {}

    Json run() {
        for (const sema::Function& function : place_.program().functions) {
            const bool written = function.module == kRoot && !function.makes && !function.derived;
            if (!written || function.enclosing || function.method_of) continue;
            if (place_.program().def(function).header.file != place_.analysis.root) continue;
            of_function(function);
        }
        return std::move(found_);
    }

private:
    void of_function(const sema::Function& function) {
        const auto& main = place_.program().main;
        if (main && place_.program().instance(*main).function == function.id) {
            if (settings_.run_lenses) add(function, "Run", kRunCommand);
            if (settings_.sanitize_lenses) add(function, "Interpret with sanitizers", kSanitizeCommand);
        }
        if (settings_.gradient_lenses && has_gradient_check(place_.analysis, function))
            add(function, "Check gradients", kCheckGradientsCommand);
        if (!settings_.code_lenses) return;
        if (function.kind == sema::FunctionKind::graph) add(function, "Graph IR", kShowCommand, "graph");
        if (function.kind != sema::FunctionKind::graph && function.kind != sema::FunctionKind::kernel) return;
        add(function, "Tile IR", kShowCommand, "tile");
        add(function, "PTX", kShowCommand, "ptx");
    }

    void add(const sema::Function& function, const char* title, const char* command, const char* level = nullptr) {
        const Json range = place_.analysis.range(place_.program().def(function).name.span);
        Json argument = {{"uri", place_.document.uri}, {"position", range["start"]}};
        if (level) argument["level"] = level;
        found_.push_back(
            {{"range", range},
             {"command", {{"title", title}, {"command", command}, {"arguments", Json::array({std::move(argument)})}}}});
    }

    const Place& place_;
    const Settings& settings_;
    Json found_ = Json::array();
};

}  // namespace

Json answer_code_lens(Workspace& workspace, const Json& params) {
    const auto place = place_of(workspace, params);
    return place ? Lenses(*place, workspace.settings).run() : Json::array();
}

}  // namespace tsr::lsp
