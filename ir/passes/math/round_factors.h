// Replaces products whose operands are rounded to tf32 first (`mma` with that flag) by products of rounded operands,
// for machines that do not round them by themselves.
#pragma once

#include <functional>

#include "ir/core/function.h"

namespace tsr::ir {

// Of those of them for which `wants` holds. An operand is rounded behind where it is made, once for all its products;
// a shared buffer when the product begins.
void round_factors(Function& kernel, const std::function<bool(OpId)>& wants);

}  // namespace tsr::ir
