// Whether an operation has a derivative.
#pragma once

#include "base/diagnostics.h"
#include "ir/core/function.h"

namespace tsr::ir::autodiff {

// Of an element operation, or one of whole tensors. False after a message at its place.
bool has_derivative(const Function& fn, OpId op, Diagnostics& said);

}  // namespace tsr::ir::autodiff
