// Handles of reads and writes.
#pragma once

#include "ir/ops/handle.h"

namespace tsr::ir {

struct ReadOp : Handle<OpKind::read, OpKind::read_vector> {
    using Handle::Handle;
    [[nodiscard]] ValueId memory() const { return operand(0); }
    [[nodiscard]] ValueSpan indices() const { return operands(1); }
    // Elements of a vector; 0 for a single element.
    [[nodiscard]] int64_t width() const { return attrs().integer(Attr::width, 0); }
};

struct WriteOp : Handle<OpKind::write, OpKind::write_vector> {
    using Handle::Handle;
    [[nodiscard]] ValueId memory() const { return operand(0); }
    [[nodiscard]] ValueId value() const { return operand(1); }
    [[nodiscard]] ValueSpan indices() const { return operands(2); }
};

// Reads and writes alike.
struct AccessOp : Handle<OpKind::read, OpKind::read_vector, OpKind::write, OpKind::write_vector> {
    using Handle::Handle;
    [[nodiscard]] bool writes() const { return WriteOp::suits(op().kind); }
    [[nodiscard]] ValueId memory() const { return operand(0); }
    [[nodiscard]] ValueSpan indices() const { return operands(writes() ? 2 : 1); }
};

struct VectorExtractOp : Handle<OpKind::vector_extract> {
    using Handle::Handle;
    [[nodiscard]] ValueId vector() const { return operand(0); }
    [[nodiscard]] int64_t position() const { return attrs().integer(Attr::axis); }
};

struct VectorBuildOp : Handle<OpKind::vector_build> {
    using Handle::Handle;
    [[nodiscard]] ValueSpan elements() const { return operands(0); }
};

}  // namespace tsr::ir
