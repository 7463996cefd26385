// Refuses loops whose rounds are spread where one round shows to touch what another writes.
#pragma once

#include "base/diagnostics.h"
#include "ir/passes/tile/classify.h"

namespace tsr::ir {

// Language reference, section 4, "Loops": what can not be shown here is left to `--sanitize=race`. False, with E0472,
// when a race was shown.
bool check_races(const Function& kernel, const KernelShape& shape, Diagnostics& diagnostics);

}  // namespace tsr::ir
