// Diagnostics as the protocol has them.
#pragma once

#include <map>
#include <string>

#include "base/diagnostics.h"
#include "lsp/analysis.h"
#include "lsp/json.h"
#include "lsp/workspace.h"

namespace tsr::lsp {

// Labels of other places become related information, notes a part of the message; the code leads to its page.
Json json_of(const Diagnostic& diagnostic, const Analysis& analysis, const Workspace& workspace);

// What is said of the root's own text.
Json diagnostics_of_root(const Analysis& analysis, const Workspace& workspace);

// Of the files that it imports, by URI: those without a message, too, so that an old one goes away.
std::map<std::string, Json> diagnostics_of_imports(const Analysis& analysis, const Workspace& workspace);

}  // namespace tsr::lsp
