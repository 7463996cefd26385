#include "ir/passes/tile/launch_slice.h"

#include <algorithm>

namespace tsr::ir {

bool known_at_launch(const Function& kernel, ValueId value) {
    const Value& v = kernel.value(value);
    if (!v.op.valid()) return v.region == kernel.body && v.type.is_scalar();
    const Op& op = kernel.op(v.op);
    if (op.kind == OpKind::constant || op.kind == OpKind::dim) return true;
    if (!is_element(op.kind)) return false;
    return std::ranges::all_of(op.operands, [&](ValueId operand) { return known_at_launch(kernel, operand); });
}

LaunchSlice::LaunchSlice(Function& kernel)
    : kernel_(kernel), region_(kernel.add_region({})), builder_(Builder::at_end(kernel, region_)) {
    builder_.set_place(kernel.place);
}

ValueId LaunchSlice::index(ValueId value) {
    Cloner cloner(kernel_, kernel_, copies_);
    cloner.names = false;
    cloner.outside = [&](ValueId v) { return kernel_.value(v).op.valid() ? ValueId() : v; };  // itself: a parameter
    return builder_.cast(cloner.value(builder_, value), DType::index);
}

ValueId LaunchSlice::rounds(ValueId lower, ValueId upper, ValueId step) {
    lower = index(lower);
    upper = index(upper);
    step = index(step);
    // ceil((upper - lower) / step) = -floor((lower - upper) / step) for either sign of step; 0 for step 0.
    const ValueId count = builder_.neg(builder_.floordiv(builder_.sub(lower, upper), step));
    return builder_.maximum(count, builder_.index(0));
}

void LaunchSlice::yield(std::vector<ValueId> counts) {
    builder_.yield(std::move(counts));
    kernel_.kernel.launch = region_;
}

}  // namespace tsr::ir
