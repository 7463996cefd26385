// Operations of graphs that give elements in other places: their handles, and the `infer` of their records (graph.cpp).
#pragma once

#include "ir/ops/family.h"
#include "ir/ops/handle.h"

namespace tsr::ir {

// A block of a tensor: for each axis where it starts, and by what it goes on.
struct BlockOp : Handle<OpKind::slice, OpKind::update> {
    using Handle::Handle;
    [[nodiscard]] ValueId value() const { return operand(0); }
    [[nodiscard]] ValueId block() const { return operand(1); }  // of `update`
    [[nodiscard]] ValueSpan starts() const { return operands(op().kind == OpKind::slice ? 1 : 2); }
    [[nodiscard]] int64_t step(size_t axis) const {
        return attrs().has(Attr::steps) ? attrs().integers(Attr::steps)[axis] : 1;
    }
};

// A tensor in another, and what stands around it.
struct PadOp : Handle<OpKind::pad> {
    using Handle::Handle;
    [[nodiscard]] ValueId value() const { return operand(0); }
    [[nodiscard]] ValueId fill() const { return operand(1); }
    [[nodiscard]] ValueSpan starts() const { return operands(2); }  // where the value stands in the result
};

struct ReshapeOp : Handle<OpKind::reshape> {
    using Handle::Handle;
    [[nodiscard]] ValueId value() const { return operand(0); }
};

struct ConcatOp : Handle<OpKind::concat> {
    using Handle::Handle;
    [[nodiscard]] ValueSpan parts() const { return operands(0); }
    [[nodiscard]] size_t axis() const { return static_cast<size_t>(attrs().integer(Attr::axis)); }
};

Inferred infer_positions(Operands operands, const Attrs& attrs);
Inferred infer_reshape(Operands operands, const Attrs& attrs);
Inferred infer_slice(Operands operands, const Attrs& attrs);
Inferred infer_pad(Operands operands, const Attrs& attrs);
Inferred infer_concat(Operands operands, const Attrs& attrs);
Inferred infer_update(Operands operands, const Attrs& attrs);

}  // namespace tsr::ir
