// Dimensions of host functions as arithmetic.
#pragma once

#include "ir/core/function.h"

namespace tsr::ir {

// Each `dim` names one symbol behind it. A quotient that divides by zero, or an exact one with a remainder, ends the
// program.
void lower_dims(Function& host);

}  // namespace tsr::ir
