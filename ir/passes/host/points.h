// Points of tuned kernels (language reference, section 4, "Tuning") as launches name them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/diagnostics.h"
#include "ir/core/function.h"

namespace tsr::ir {

// Takes kernels that are too large for a target out of the launches that name them beside others, and out of the
// module. `unfit`: what is said of each. False, with a diagnostic, where nothing would be left; else it is a warning.
bool drop_unfit_points(Module& module, const std::map<std::string, Diagnostics>& unfit, Diagnostics& diagnostics);

// Every launch of a tuned kernel becomes one of its first point; the others leave the module.
void keep_first_points(Module& module);

}  // namespace tsr::ir
