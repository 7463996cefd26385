// Changes of texts, as editors apply them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lsp/analysis.h"
#include "lsp/json.h"
#include "lsp/workspace.h"

namespace tsr::lsp {

// The TextEdit that puts a text in the place of another one.
Json text_edit(const Analysis& analysis, Span replaced, const std::string& text);

// The WorkspaceEdit of lists of TextEdits by path. Where the client takes them it names the versions that it was made
// for.
Json workspace_edit(const Workspace& workspace, std::map<std::string, Json> edits);

}  // namespace tsr::lsp
