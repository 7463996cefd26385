// Types of derivatives, and zeros of them.
#pragma once

#include "ir/build/builder.h"

namespace tsr::ir::autodiff {

// The type of a cotangent, and of a tangent, of a value while it is computed.
Type derivative_type(const Type& of);
// The type that a gradient, or a tangent, is given in.
Type gradient_type(const Type& of);

// A tensor of zeros, or 0.
ValueId zeros_of(Builder& at, const Type& type);

}  // namespace tsr::ir::autodiff
