// The sign of a number, and whether it is one.
#include <limits>

#include "ir/passes/math/functions.h"

namespace tsr::ir::math {

Term sign(Term x) { return select(x > 0.0, 1.0, select(x < 0.0, -1.0, x + 0.0)); }  // -0 + 0 is 0
Term isnan(Term x) { return x != x; }
Term isinf(Term x) { return abs(x) == std::numeric_limits<double>::infinity(); }
Term isfinite(Term x) { return abs(x) < std::numeric_limits<double>::infinity(); }

}  // namespace tsr::ir::math
