// Which values inside `lanes` regions are the same in every lane, so that one scalar serves them all.
#pragma once

#include <vector>

#include "ir/core/function.h"

namespace tsr::ir {

// By ValueId: true when lanes may differ. Unlike "who does a statement", a value under a divergent condition is
// uniform when it is computed from uniform values: the lanes that are there agree on it.
std::vector<bool> find_differing(const Function& kernel);

}  // namespace tsr::ir
