#include "ir/ops/reduction.h"

#include <fmt/format.h>

namespace tsr::ir {

OpKind combining(ReduceOp op) {
    switch (op) {
        case ReduceOp::add:
            return OpKind::add;
        case ReduceOp::mul:
            return OpKind::mul;
        case ReduceOp::min:
            return OpKind::minimum;
        case ReduceOp::max:
            return OpKind::maximum;
        case ReduceOp::any:
            return OpKind::bit_or;
        case ReduceOp::all:
            return OpKind::bit_and;
    }
    return OpKind::add;
}

std::optional<Failure> check_reduce(const Type& type, const Attrs& attrs) {
    const auto op = static_cast<ReduceOp>(attrs.integer(Attr::op));
    const bool computed = is_float(type.elem) ? !is_storage_only(type.elem) : is_integer(type.elem);
    const bool number = computed && type.elem != DType::i4;  // i4 computes as i8
    if (is_logical(op) ? type.elem == DType::boolean : number) return std::nullopt;
    return Failure{fmt::format("'{}' does not reduce {}", name(op), type.text())};
}

}  // namespace tsr::ir
