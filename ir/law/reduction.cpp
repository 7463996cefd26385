#include "ir/law/reduction.h"

#include <bit>
#include <limits>

namespace tsr::ir {

namespace {

Bits real(DType type, double value) { return cast_scalar(DType::f64, type, std::bit_cast<Bits>(value)); }

Bits largest(DType type) {
    const Bits all = ~Bits{0};
    return is_signed(type) ? canonical(type, (Bits{1} << (bits(type) - 1)) - 1) : canonical(type, all);
}

Bits smallest(DType type) { return is_signed(type) ? canonical(type, Bits{1} << (bits(type) - 1)) : 0; }

}  // namespace

Bits reduction_identity(ReduceOp op, DType type) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    switch (op) {
        case ReduceOp::add:
            return is_float(type) ? real(type, -0.0) : 0;
        case ReduceOp::mul:
            return is_float(type) ? real(type, 1.0) : 1;
        case ReduceOp::min:
            return is_float(type) ? real(type, kInfinity) : largest(type);
        case ReduceOp::max:
            return is_float(type) ? real(type, -kInfinity) : smallest(type);
        case ReduceOp::any:
            return 0;
        case ReduceOp::all:
            return 1;
    }
    return 0;
}

Bits reduction_of_nothing(ReduceOp op, DType type) { return op == ReduceOp::add ? 0 : reduction_identity(op, type); }

AttrValue reduction_start(ReduceOp op, DType type) { return constant_value(type, reduction_identity(op, type)); }

}  // namespace tsr::ir
