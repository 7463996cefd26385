#include "ir/eval/expanded.h"

#include "ir/passes/math/expand_math.h"

namespace tsr::ir::eval {

std::shared_ptr<const Function> with_math_expanded(const Function& function) {
    for (size_t i = 0; i < function.op_count(); ++i) {
        const Op& op = function.op(OpId(i));
        if (!op.parent.valid() || !is_expanded(op.kind)) continue;
        auto copy = std::make_shared<Function>(function);
        expand_math(*copy);
        return copy;
    }
    return nullptr;
}

}  // namespace tsr::ir::eval
