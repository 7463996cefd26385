// Element operations on floats that are computed: f64, f32, f16, bf16. For `scalar.cpp`.
#pragma once

#include "ir/law/scalar.h"

namespace tsr::ir {

// Null where the operation does not take the type.
ScalarFn float_function(OpKind kind, DType type);
bool is_exact_on_floats(OpKind kind);

}  // namespace tsr::ir
