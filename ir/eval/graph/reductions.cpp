// Reductions: in the order of the axis, each partial result rounded to the element type.
#include "ir/eval/graph/operations.h"
#include "ir/law/reduction.h"
#include "ir/ops/reduction.h"
#include "ir/ops/register.h"

namespace tsr::ir::eval::graph {

namespace {

PerAxis without(PerAxis of, size_t axis) {
    of.erase(of.begin() + static_cast<std::ptrdiff_t>(axis));
    return of;
}

// The axis that is gone along, and how two elements combine.
struct Along {
    explicit Along(const TensorOp& tensor_op)
        : op(tensor_op.function, tensor_op.id),
          source(tensor_op.tensor(0)),
          axis(static_cast<size_t>(op.axis())),
          length(source.shape()[axis]),
          step(source.strides()[axis]) {}

    // Of the elements from an offset on; nothing combined is the value that changes no other.
    [[nodiscard]] Bits all(int64_t offset) const {
        if (length == 0) return reduction_identity(op.what(), source.elem());
        Bits result = source.get(offset);
        for (int64_t i = 1; i < length; ++i) {
            result = exactly(combining(op.what()), source.elem(), result, source.get(offset + i * step));
        }
        return result;
    }

    AlongOp op;
    TensorView source;
    size_t axis;
    int64_t length, step;
};

}  // namespace

TsrSlot reduce(const TensorOp& tensor_op) {
    const Along along(tensor_op);
    const PerAxis shape = without(along.source.shape(), along.axis);
    if (shape.empty()) {
        TsrSlot scalar{};
        scalar.bits = along.all(0);
        return scalar;
    }
    NewTensor result(tensor_op.api, along.source.elem(), shape);
    for (IndexMaps at(shape, {without(along.source.strides(), along.axis), result.strides()}); !at.done(); at.next()) {
        result.set(at.offset(1), along.all(at.offset(0)));
    }
    return result.release();
}

}  // namespace tsr::ir::eval::graph
