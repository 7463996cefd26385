// Reductions and scans: in the order of the axis, each partial result rounded to the element type.
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

    // Of the elements from an offset on.
    [[nodiscard]] Bits all(int64_t offset) const {
        if (length == 0) return reduction_of_nothing(op.what(), source.elem());
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

PerAxis copy_of(PerAxis axes, size_t axis, int64_t with) {
    axes[axis] = with;
    return axes;
}

}  // namespace

TsrSlot scan(const TensorOp& tensor_op) {
    const Along along(tensor_op);
    const PerAxis& shape = along.source.shape();
    NewTensor result(tensor_op.api, along.source.elem(), shape);
    const bool reverse = tensor_op.op().attrs.has(Attr::reverse);
    const int64_t begin = reverse ? along.length - 1 : 0, step = reverse ? -1 : 1;
    const int64_t to_step = result.strides()[along.axis];
    const PerAxis rows = copy_of(shape, along.axis, along.length == 0 ? 0 : 1);
    for (IndexMaps at(rows, {along.source.strides(), result.strides()}); !at.done(); at.next()) {
        Bits sum = 0;
        for (int64_t i = 0, k = begin; i < along.length; ++i, k += step) {
            const Bits next = along.source.get(at.offset(0) + k * along.step);
            sum = i == 0 ? next : exactly(combining(along.op.what()), along.source.elem(), sum, next);
            result.set(at.offset(1) + k * to_step, sum);
        }
    }
    return result.release();
}

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
