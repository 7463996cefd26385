// A program: a root module with all it imports, checked.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/sources.h"
#include "frontend/ast.h"
#include "sema/program/tables.h"

namespace tsr::sema {

struct CheckOptions {
    std::vector<std::string> import_folders;    // `-I`, searched after the importing file's folder
    bool names = true;                          // the table of names (`ModuleUnit::names`), for editors
    bool verify = false;                        // the checker's own laws: an internal error where one does not hold
    const std::atomic<bool>* cancel = nullptr;  // set: give up soon; the program is then incomplete
};

// Loads what `root` imports, checks every function (generic ones for each signature they are called with) and the
// module-level statements. Codes E02xx to E06xx and W01xx. `root` and `sources` must outlive the program.
Program check(const ast::Module& root, Sources& sources, const CheckOptions& options, Diagnostics& diagnostics);

}  // namespace tsr::sema
