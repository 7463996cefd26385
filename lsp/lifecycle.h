// The first request, and notifications that change texts.
#pragma once

#include <optional>
#include <string>

#include "lsp/json.h"
#include "lsp/workspace.h"

namespace tsr::lsp {

// Reads what the client can do, and answers what the server can do.
Json initialize(Workspace& workspace, const Json& params, const std::string& version);

// What `client/registerCapability` asks the client to tell: which programs are written by others. Nothing where it does
// not take such a wish.
std::optional<Json> wanted_events(const Workspace& workspace);

// `textDocument/didOpen`, `didChange`, `didSave`, `workspace/didChangeWatchedFiles`, `didChangeWorkspaceFolders`;
// others mean nothing.
void change_texts(Workspace& workspace, const std::string& method, const Json& params);

}  // namespace tsr::lsp
