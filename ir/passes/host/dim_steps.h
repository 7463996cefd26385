// A dimension as the runtime evaluates and solves it.
#pragma once

#include <string>
#include <vector>

#include "ir/core/dim.h"
#include "runtime/abi.h"

namespace tsr::ir {

// Postfix order; a symbol is its number among `symbols`. A term that is taken away is written so: the runtime shows and
// solves `n - 1` as it stands.
std::vector<TsrDimStep> dim_steps(const Dim& dim, const std::vector<std::string>& symbols);

}  // namespace tsr::ir
