#pragma once

#include "ir/passes/math/term.h"

namespace tsr::ir::math {

// A positive number as 2^k m.
struct Split {
    Term k;
    Term f;  // m - 1, exact
};

}  // namespace tsr::ir::math
