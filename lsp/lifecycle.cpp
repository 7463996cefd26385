#include "lsp/lifecycle.h"

#include <algorithm>

#include "lsp/document_uri.h"
#include "lsp/methods.h"
#include "lsp/protocol.h"

namespace tsr::lsp {

namespace {

// UTF-8 where the client can count so; UTF-16 is what every client can.
Encoding encoding_for(const Json& client) {
    const Json& offered = below(client, {"general", "positionEncodings"});
    const bool utf8 = offered.is_array() && std::ranges::find(offered, Json("utf-8")) != offered.end();
    return utf8 ? Encoding::utf8 : Encoding::utf16;
}

std::vector<std::string> paths_of(const Json& folders) {
    std::vector<std::string> paths;
    for (const Json& folder : folders) paths.push_back(path_of(folder.at("uri").get<std::string>()));
    return paths;
}

// The folders that the editor has open.
std::vector<std::string> folders_of(const Json& params) {
    std::vector<std::string> folders;
    const Json& several = below(params, {"workspaceFolders"});
    if (several.is_array()) {
        folders = paths_of(several);
    } else if (const Json& root = below(params, {"rootUri"}); root.is_string()) {
        folders.push_back(path_of(root.get<std::string>()));
    }
    std::erase_if(folders, [](const std::string& path) { return !path.starts_with('/'); });
    return folders;
}

// "hoverProvider", "workspace.textDocumentContent"; nothing where it is empty.
void announce(std::string_view capability, Json value, Json& capabilities) {
    if (capability.empty()) return;
    Json* at = &capabilities;
    for (size_t dot = capability.find('.'); dot != std::string_view::npos; dot = capability.find('.')) {
        at = &(*at)[std::string(capability.substr(0, dot))];
        capability.remove_prefix(dot + 1);
    }
    (*at)[std::string(capability)] = std::move(value);
}

}  // namespace

Json initialize(Workspace& workspace, const Json& params, const std::string& version) {
    workspace.client = below(params, {"capabilities"});
    workspace.encoding = encoding_for(workspace.client);
    workspace.takes_library = !below(workspace.client, {"workspace", "textDocumentContent"}).is_null();
    workspace.folders = folders_of(params);
    workspace.settings.take(below(params, {"initializationOptions"}));
    Json capabilities = {{"positionEncoding", workspace.encoding == Encoding::utf8 ? "utf-8" : "utf-16"},
                         {"textDocumentSync", {{"openClose", true}, {"change", 2}, {"save", {{"includeText", false}}}}},
                         {"workspace", {{"workspaceFolders", {{"supported", true}, {"changeNotifications", true}}}}}};
    for (const Method& method : methods()) {
        announce(method.capability, parse_json(method.value), capabilities);
    }
    return {{"capabilities", std::move(capabilities)}, {"serverInfo", {{"name", "tesserac"}, {"version", version}}}};
}

std::optional<Json> wanted_events(const Workspace& workspace) {
    if (!says(workspace.client, {"workspace", "didChangeWatchedFiles", "dynamicRegistration"})) return std::nullopt;
    const Json programs = {{"globPattern", "**/*.tsr"}};
    return Json{{"registrations", Json::array({{{"id", "programs"},
                                                {"method", "workspace/didChangeWatchedFiles"},
                                                {"registerOptions", {{"watchers", Json::array({programs})}}}}})}};
}

void change_texts(Workspace& workspace, const std::string& method, const Json& params) {
    if (method == "textDocument/didOpen") {
        const Json& document = params.at("textDocument");
        workspace.open(document.at("uri"), document.at("version"), document.at("text"));
    } else if (method == "textDocument/didChange") {
        Document& document = workspace.document_of(params);
        for (const Json& change : params.at("contentChanges")) workspace.change(document, change);
        document.version = params.at("textDocument").at("version");
    } else if (method == "textDocument/didSave") {
        workspace.changed_on_disk(path_of(params.at("textDocument").at("uri").get<std::string>()));
    } else if (method == "workspace/didChangeWatchedFiles") {
        for (const Json& change : params.at("changes"))
            workspace.changed_on_disk(path_of(change.at("uri").get<std::string>()));
    } else if (method == "workspace/didChangeWorkspaceFolders") {
        const std::vector<std::string> removed = paths_of(params.at("event").at("removed"));
        std::erase_if(workspace.folders, [&](const auto& f) { return std::ranges::find(removed, f) != removed.end(); });
        for (std::string& added : paths_of(params.at("event").at("added")))
            workspace.folders.push_back(std::move(added));
    }
}

}  // namespace tsr::lsp
