// Casts that the program asks for.
#pragma once

#include "sema/elaborate/body.h"

namespace tsr::elaborate {

// `cast(x, T)`: rounds here, also inside of an expression.
Val convert(Body& b, const Val& value, const sema::Type& type);

}  // namespace tsr::elaborate
