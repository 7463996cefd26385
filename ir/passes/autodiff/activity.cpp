#include "ir/passes/autodiff/activity.h"

#include <algorithm>

namespace tsr::ir::autodiff {

namespace {

bool may_move(const Type& type) { return (type.is_scalar() || type.kind == TypeKind::tensor) && is_float(type.elem); }

}  // namespace

Activity::Activity(const Function& fn, const std::vector<int64_t>& wrt) : active_(fn.value_count()) {
    for (const int64_t number : wrt) {
        const ValueId param = fn.params()[static_cast<size_t>(number)];
        active_[param.index] = may_move(fn.type(param));
    }
    for (const OpId id : fn.region(fn.body).ops) {
        const Op& op = fn.op(id);
        if (std::ranges::none_of(op.operands, [&](ValueId v) { return has(v); })) continue;
        for (const ValueId result : op.results) active_[result.index] = may_move(fn.type(result));
    }
}

}  // namespace tsr::ir::autodiff
