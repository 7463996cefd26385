// The program of one tile → the program of one group: group statements, `lanes` regions between them, `grid`.
#pragma once

#include "ir/passes/tile/classify.h"

namespace tsr::ir {

// Regions split only at collectives, group statements that write memory lanes have touched, and group reads of memory
// that lanes have written. What lives across a split is a lane array; what is cheap and made of ids alone is made
// again. The kernel must have passed `check_uniform`.
Function form_groups(const Function& kernel, const KernelShape& shape);

}  // namespace tsr::ir
