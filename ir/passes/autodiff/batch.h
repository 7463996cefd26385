// A Graph function on several examples at once.
#pragma once

#include <vector>

#include "ir/core/function.h"

namespace tsr::ir::autodiff {

// Takes what the function takes; a parameter that is `batched` has an axis of examples first. Gives what it gives for
// each example, along a first axis; of a result that is not `wanted` so, which must be the same for all examples, the
// one value. There is a batched parameter.
Function batched_function(const Function& of, const std::vector<bool>& batched, const std::vector<bool>& wanted);

}  // namespace tsr::ir::autodiff
