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

LaunchSlice::LaunchSlice(Function& kernel) : kernel_(kernel), region_(kernel.add_region({})) {}

ValueId LaunchSlice::copy(ValueId value) {
    if (!kernel_.value(value).op.valid()) return value;  // a parameter
    if (auto found = copies_.find(value); found != copies_.end()) return found->second;
    const Op original = kernel_.op(kernel_.value(value).op);
    std::vector<ValueId> operands;
    for (ValueId operand : original.operands) operands.push_back(copy(operand));
    OpId op = kernel_.add_op(original.kind, original.place, operands, {kernel_.type(value)}, original.attrs);
    kernel_.append(region_, op);
    return copies_[value] = kernel_.op(op).results[0];
}

ValueId LaunchSlice::constant(int64_t value) {
    OpId op = kernel_.add_op(OpKind::constant, kernel_.place, {}, {Type::scalar(DType::index)},
                             {{Attr::value, value}, {Attr::type, DType::index}});
    kernel_.append(region_, op);
    return kernel_.op(op).results[0];
}

ValueId LaunchSlice::element(OpKind kind, std::vector<ValueId> operands, DType result) {
    OpId op = kernel_.add_op(kind, kernel_.place, std::move(operands), {Type::scalar(result)});
    kernel_.append(region_, op);
    return kernel_.op(op).results[0];
}

ValueId LaunchSlice::cast_to_index(ValueId value) {
    OpId op = kernel_.add_op(OpKind::cast, kernel_.place, {value}, {Type::scalar(DType::index)},
                             {{Attr::type, DType::index}});
    kernel_.append(region_, op);
    return kernel_.op(op).results[0];
}

ValueId LaunchSlice::rounds(ValueId lower, ValueId upper, ValueId step) {
    auto index = [&](ValueId value) {
        ValueId made = copy(value);
        return kernel_.type(made).elem == DType::index ? made : cast_to_index(made);
    };
    lower = index(lower);
    upper = index(upper);
    step = index(step);
    // ceil((upper - lower) / step) = -floor((lower - upper) / step) for either sign of step; 0 for step 0.
    ValueId span = element(OpKind::sub, {lower, upper}, DType::index);
    ValueId floor = element(OpKind::floordiv, {span, step}, DType::index);
    ValueId count = element(OpKind::neg, {floor}, DType::index);
    return element(OpKind::maximum, {count, constant(0)}, DType::index);
}

void LaunchSlice::yield(std::vector<ValueId> counts) {
    kernel_.append(region_, kernel_.add_op(OpKind::yield, kernel_.place, std::move(counts), {}));
    kernel_.kernel.launch = region_;
}

}  // namespace tsr::ir
