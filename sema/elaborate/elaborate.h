// Checked syntax trees → the IR: kernels as the program of one tile (level Tile), host functions (level Host).
#pragma once

#include "base/diagnostics.h"
#include "ir/core/function.h"
#include "sema/program/tables.h"

namespace tsr::sema {

// The name of the function that holds the module-level statements, imported modules first; it takes and gives nothing
// and is absent where there are none to run.
inline constexpr const char* kModuleStatements = "<module>";

// Functions that were checked without an error, named as their instances. Kernels hold the structured program of one
// tile, collective operations as written; `classify` decides about their loops. A launch has its arguments, the values
// of the kernel's symbols that shapes bind, and the explicit numbers of groups. Raises Cancelled where a CancelScope
// ends it.
ir::Module elaborate(const Program& program, Diagnostics& diagnostics);

}  // namespace tsr::sema
