// Syntax tree → source text in the one style.
#pragma once

#include <string>

#include "base/sources.h"
#include "frontend/ast.h"

namespace tsr {

// Idempotent; keeps comments and single blank lines; the result parses to the same tree.
// Only for trees without holes: a broken file is left alone by the caller.
std::string format(const ast::Module& module, const Sources& sources);

// The tree as an indented outline, without ids and spans: two trees are equal when their outlines are.
std::string outline(const ast::Module& module);

}  // namespace tsr
