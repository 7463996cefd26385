#include "ir/passes/target/gpu/tiles/warp_products.h"

namespace tsr::ir {

std::optional<WarpProduct> product_of(const Function& kernel, const MmaOp& op, int capability) {
    const DType a = kernel.type(op.a()).elem, b = kernel.type(op.b()).elem;
    const bool bytes = is_storage_only(a) && is_storage_only(b) && bits(a) == 8 && bits(b) == 8;
    if (a != b) return bytes ? warp_product(DType::f16, op.accumulates(), capability) : std::nullopt;
    if (op.in_tf32()) return op.accumulates() == DType::f32 ? tf32_product(capability) : std::nullopt;
    const auto own = warp_product(a, op.accumulates(), capability);
    return own || !bytes ? own : warp_product(DType::f16, op.accumulates(), capability);
}

}  // namespace tsr::ir
