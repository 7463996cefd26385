// Functions without exp, tanh and their kin: the evaluator computes what every machine computes.
#pragma once

#include <memory>
#include <string_view>

#include "ir/core/function.h"

namespace tsr::ir::eval {

struct Expanded {
    std::shared_ptr<const Function> function;  // null: there was nothing to expand
    size_t written_ops = 0;                    // operations from this id on are parts of an expanded one
};

// A copy in which they are expanded. With `watch`, behind each of them stands a `print` of its operands and result
// that is `watched`, its name as the text: what is inside an expansion may pass through infinities, its result counts.
Expanded with_math_expanded(const Function& function, bool watch);

}  // namespace tsr::ir::eval
