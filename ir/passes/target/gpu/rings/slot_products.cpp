#include "ir/passes/target/gpu/rings/slot_products.h"

#include <algorithm>

#include "ir/passes/target/cpu/tiles/uses.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

bool in_slot(const Function& kernel, std::span<const ValueId> buffers, ValueId value) {
    return !is_tile(kernel, value) && std::ranges::find(buffers, memory_root(kernel, value)) != buffers.end();
}

bool keeps_sums(const Function& kernel, const MmaOp& op) {
    const DType input = kernel.type(op.a()).elem;
    return !op.in_tf32() && !op.pending() && !(is_float(input) && is_storage_only(input));
}

}  // namespace tsr::ir
