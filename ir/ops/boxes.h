// Handles of operations on boxes of tensors.
#pragma once

#include "ir/ops/handle.h"

namespace tsr::ir {

// Between a tensor and a box in shared memory, whichever way.
struct BoxOp : Handle<OpKind::copy_box, OpKind::store_box> {
    using Handle::Handle;
    [[nodiscard]] bool loads() const { return op().kind == OpKind::copy_box; }
    [[nodiscard]] ValueId tensor() const { return operand(tensor_position(op().kind)); }
    static size_t tensor_position(OpKind kind) { return kind == OpKind::copy_box ? 2 : 1; }
    [[nodiscard]] const std::vector<int64_t>& extents() const { return attrs().integers(Attr::extents); }
    // Into both blocks of the cluster.
    [[nodiscard]] bool of_cluster() const { return attrs().has(Attr::cluster); }
};

inline bool is_box(OpKind kind) { return kind == OpKind::copy_box || kind == OpKind::store_box; }

}  // namespace tsr::ir
