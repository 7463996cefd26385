// Values along a row that are dear to compute and that a later phase wants again. They wait in the tensor of a result
// that is stored only then: of softmax the exponentials wait where the quotients will stand.
#pragma once

#include <map>

#include "ir/passes/graph/row_phases.h"

namespace tsr::ir {

struct KeptValue {
    size_t phase = 0;   // in which it is computed
    size_t result = 0;  // in whose tensor it waits
};
using KeptValues = std::map<ValueId, KeptValue>;

// At most one for each result, of the result's element type.
KeptValues kept_values(const Function& fused, const RowPhases& phases);

}  // namespace tsr::ir
