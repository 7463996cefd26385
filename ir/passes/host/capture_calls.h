// Calls of functions that are `@jit(capture_graph=True)`: a GPU replays their launches.
#pragma once

#include <set>
#include <string>

#include "base/diagnostics.h"
#include "base/sources.h"
#include "ir/core/function.h"

namespace tsr::ir {

// Around each call in a Host function of one of these functions:
//   %known = host %x, %n {callee = "capture_begin", text = "f", extents = [-1, 6]} : bool
//   %y = if %known { yield host {callee = "capture_tensor"} } else { %0 = call %x, %n … host %0 {callee =
//   "capture_end"} }
void capture_calls(Module& module, const std::set<std::string>& captured);

// Whether the module has such calls.
bool has_captured(const Module& module);

// Refuses (E0613) what a replay would not do, in functions that are called so. Behind `lower_graphs` and the lowering
// of kernels. `versions`: functions that such a function calls as parts of its own (choose_version.h).
bool check_captured(const Module& module, const std::set<std::string>& versions, const Sources& sources,
                    Diagnostics& diagnostics);

}  // namespace tsr::ir
