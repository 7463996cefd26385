// Handles of operations on boxes of tensors.
#pragma once

#include <optional>

#include "ir/ops/handle.h"

namespace tsr::ir {

// Between a tensor and a box in shared memory, whichever way.
struct BoxOp : Handle<OpKind::copy_box, OpKind::store_box> {
    using Handle::Handle;
    [[nodiscard]] bool loads() const { return op().kind == OpKind::copy_box; }
    [[nodiscard]] ValueId tensor() const { return operand(tensor_position(op().kind)); }
    static size_t tensor_position(OpKind kind) { return kind == OpKind::copy_box ? 2 : 1; }
    [[nodiscard]] ValueId box() const { return operand(0); }       // in shared memory
    [[nodiscard]] ValueId mbarrier() const { return operand(1); }  // of `copy_box`
    [[nodiscard]] ValueSpan starts() const { return operands(tensor_position(op().kind) + 1); }
    [[nodiscard]] const std::vector<int64_t>& extents() const { return attrs().integers(Attr::extents); }
    // Into both blocks of the cluster.
    [[nodiscard]] bool of_cluster() const { return attrs().has(Attr::cluster); }
};

struct MbarrierOp : Handle<OpKind::mbarrier_init, OpKind::mbarrier_arrive, OpKind::mbarrier_wait> {
    using Handle::Handle;
    [[nodiscard]] ValueId mbarrier() const { return operand(0); }
    [[nodiscard]] ValueId parity() const { return operand(1); }  // of mbarrier_wait
    // Of mbarrier_arrive: the block of the cluster whose it is; nothing: this one.
    [[nodiscard]] std::optional<ValueId> block() const {
        return op().operands.size() > 1 ? std::optional(operand(1)) : std::nullopt;
    }
};

inline bool is_box(OpKind kind) { return kind == OpKind::copy_box || kind == OpKind::store_box; }

}  // namespace tsr::ir
