// Rounding toward zero.
#pragma once

#include "sema/elaborate/body.h"

namespace tsr::elaborate {

// The value in a narrower type, rounded toward zero; as it is where it is not wider.
ir::ValueId cut(Body& b, ir::ValueId value, DType type);

}  // namespace tsr::elaborate
