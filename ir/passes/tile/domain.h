// The domain of a flat kernel (language reference, section 4, "Flat kernels").
#pragma once

#include <vector>

#include "ir/core/function.h"

namespace tsr::ir {

struct Guards {
    std::vector<ValueId> limits;  // every E of a guard `tile < E`, known at launch, under which something is done
    bool every_write = true;      // each write of memory stands under one
};

// The guards of `tile.linear_id()` in the kernel.
Guards find_guards(const Function& kernel);

}  // namespace tsr::ir
