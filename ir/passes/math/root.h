#pragma once

#include "ir/passes/math/term.h"

namespace tsr::ir::math {

// 1 / sqrt(x), of f32 and f64.
Term rsqrt(Term x);

}  // namespace tsr::ir::math
