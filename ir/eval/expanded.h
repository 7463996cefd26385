// Functions without exp, tanh and their kin: the evaluator computes what every machine computes.
#pragma once

#include <memory>

#include "ir/core/function.h"

namespace tsr::ir::eval {

// A copy in which they are expanded; null where the function has none of them.
std::shared_ptr<const Function> with_math_expanded(const Function& function);

}  // namespace tsr::ir::eval
