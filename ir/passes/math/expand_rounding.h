// Replaces `cut`, `dither` and `philox` by operations on the bits of their operands, for every machine alike.
#pragma once

#include "ir/core/function.h"

namespace tsr::ir {

void expand_rounding(Function& function);

}  // namespace tsr::ir
