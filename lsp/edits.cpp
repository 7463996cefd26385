#include "lsp/edits.h"

#include "lsp/document_uri.h"

namespace tsr::lsp {

Json text_edit(const Analysis& analysis, Span replaced, const std::string& text) {
    return {{"range", analysis.range(replaced)}, {"newText", text}};
}

Json workspace_edit(const Workspace& workspace, std::map<std::string, Json> edits) {
    const bool versions = says(workspace.client, {"workspace", "workspaceEdit", "documentChanges"});
    Json changes = versions ? Json::array() : Json::object();
    for (auto& [path, in_file] : edits) {
        const Document* open = workspace.open_at(path);
        const std::string uri = open ? open->uri : uri_of(path);
        if (versions) {
            const Json version = open ? Json(open->version) : Json(nullptr);
            changes.push_back({{"textDocument", {{"uri", uri}, {"version", version}}}, {"edits", std::move(in_file)}});
        } else {
            changes[uri] = std::move(in_file);
        }
    }
    return {{versions ? "documentChanges" : "changes", std::move(changes)}};
}

}  // namespace tsr::lsp
