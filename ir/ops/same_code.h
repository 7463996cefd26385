// Whether two functions have the same code: what their texts would say, without writing them.
#pragma once

#include "ir/core/function.h"

namespace tsr::ir {

// 0.0 and -0.0 are equal as numbers, and two values; a NaN is what its bits say.
bool same_value(const AttrValue& a, const AttrValue& b);

// Two forms of one kernel: operations, attributes, types and parameters are the same. Names, places, the plan and what
// is said of the kernel as a whole are not looked at.
bool same_code(const Function& a, const Function& b);

}  // namespace tsr::ir
