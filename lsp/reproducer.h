// What replays a request that failed inside the server: the request and the open texts.
#pragma once

#include <string>

#include "lsp/json.h"
#include "lsp/workspace.h"

namespace tsr::lsp {

// The folder that holds it; empty where none can be made. Of a check that nobody asked for there is no request.
std::string leave_reproducer(const Workspace& workspace, const Json& request);

}  // namespace tsr::lsp
