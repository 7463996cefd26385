#include "ir/passes/target/reduction.h"

#include <limits>

namespace tsr::ir {

namespace {

int64_t largest(DType type) {
    int width = bits(type);
    if (!is_signed(type)) return width == 64 ? -1 : (int64_t{1} << width) - 1;
    return width == 64 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << (width - 1)) - 1;
}

int64_t smallest(DType type) { return is_signed(type) ? -largest(type) - 1 : 0; }

}  // namespace

AttrValue reduce_identity(ReduceOp kind, DType type) {
    const double infinity = std::numeric_limits<double>::infinity();
    switch (kind) {
        case ReduceOp::add:
            return is_float(type) ? AttrValue{-0.0} : AttrValue{int64_t{0}};  // -0 + x is x for every x
        case ReduceOp::mul:
            return is_float(type) ? AttrValue{1.0} : AttrValue{int64_t{1}};
        case ReduceOp::min:
            return is_float(type) ? AttrValue{infinity} : AttrValue{largest(type)};
        case ReduceOp::max:
            return is_float(type) ? AttrValue{-infinity} : AttrValue{smallest(type)};
        case ReduceOp::any:
            return int64_t{0};
        case ReduceOp::all:
            return int64_t{1};
    }
    return int64_t{0};
}

}  // namespace tsr::ir
