// The first request, and notifications that change texts.
#pragma once

#include <string>

#include "lsp/json.h"
#include "lsp/workspace.h"

namespace tsr::lsp {

// Reads what the client can do, and answers what the server can do.
Json initialize(Workspace& workspace, const Json& params, const std::string& version);

// `textDocument/didOpen`, `didChange`, `didSave`, `workspace/didChangeWatchedFiles`; others mean nothing.
void change_texts(Workspace& workspace, const std::string& method, const Json& params);

}  // namespace tsr::lsp
