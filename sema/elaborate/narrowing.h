// Narrower float types: what holds a value before it is rounded, and rounding toward zero.
#pragma once

#include <optional>

#include "sema/elaborate/body.h"

namespace tsr::elaborate {

// f32 or f64, which hold what is stored before it is rounded; nothing where nothing is to be rounded.
std::optional<DType> wide_type(DType held, DType type);

// The value in a narrower type, rounded toward zero; as it is where it is not wider.
ir::ValueId cut(Body& b, ir::ValueId value, DType type);

}  // namespace tsr::elaborate
