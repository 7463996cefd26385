// Source text → syntax tree.
#pragma once

#include <memory>

#include "base/diagnostics.h"
#include "base/sources.h"
#include "frontend/ast.h"

namespace tsr {

// Always gives a tree: what could not be read is a hole in it and a diagnostic (codes E01xx).
// Text that is not UTF-8 and nesting deeper than 200 brackets or 100 indents are diagnostics too.
std::unique_ptr<ast::Module> parse(FileId file, const Sources& sources, Diagnostics& diagnostics);

}  // namespace tsr
