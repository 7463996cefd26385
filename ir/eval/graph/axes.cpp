// Tensors repeated, filled and turned: copies through other strides.
#include <fmt/format.h>

#include "ir/core/internal.h"
#include "ir/eval/graph/operations.h"
#include "ir/eval/host_failure.h"
#include "ir/ops/register.h"

namespace tsr::ir::eval::graph {

namespace {

// The element at an index of `shape` is that of the source along these strides.
TsrSlot copy(const TensorOp& tensor_op, const TensorView& source, const PerAxis& shape, const PerAxis& strides) {
    NewTensor result(tensor_op.api, source.elem(), shape);
    for (IndexMaps at(shape, {strides, result.strides()}); !at.done(); at.next()) {
        result.set(at.offset(1), source.get(at.offset(0)));
    }
    return result.release();
}

}  // namespace

PerAxis shape_of(const TensorOp& tensor_op) {
    PerAxis shape;
    for (const Dim& dim : tensor_op.op().attrs.dims(Attr::shape)) {
        const auto extent = tensor_op.dimension(dim);
        if (!extent) throw HostFailure{fmt::format("the dimension {} is no whole number here", dim.text())};
        shape.push_back(*extent);
    }
    return shape;
}

TsrSlot full(const TensorOp& tensor_op) {
    const PerAxis shape = shape_of(tensor_op);
    NewTensor result(tensor_op.api, tensor_op.function.type(tensor_op.op().results[0]).elem, shape);
    for (IndexMaps at(shape, {result.strides()}); !at.done(); at.next()) {
        result.set(at.offset(0), tensor_op.operands.front().bits);
    }
    return result.release();
}

TsrSlot expand(const TensorOp& tensor_op) {
    const ExpandOp op(tensor_op.function, tensor_op.id);
    const Type& type = tensor_op.function.type(op.value());
    const TensorView source = tensor_op.tensor(0);
    const PerAxis shape = shape_of(tensor_op);
    PerAxis strides(shape.size(), 0);
    for (size_t axis = 0; axis < type.rank(); ++axis) {
        const auto to = static_cast<size_t>(op.axes()[axis]);
        // An extent that the type does not say to be 1 has to be the result's, even if it is 1.
        const bool repeats = type.shape[axis].constant_value() == 1;
        if (source.shape()[axis] != (repeats ? 1 : shape[to])) {
            throw HostFailure{fmt::format("{} does not expand to [{}]: axis {} does not fit", source.text(),
                                          fmt::join(shape, ", "), axis)};
        }
        if (!repeats) strides[to] = source.strides()[axis];
    }
    return copy(tensor_op, source, shape, strides);
}

TsrSlot transpose(const TensorOp& tensor_op) {
    const TensorView source = tensor_op.tensor(0);
    PerAxis shape = source.shape();
    PerAxis strides = source.strides();
    if (tensor_op.op().attrs.has(Attr::axes)) {
        const std::vector<int64_t>& axes = tensor_op.op().attrs.integers(Attr::axes);
        for (size_t i = 0; i < axes.size(); ++i) {
            shape[i] = source.shape()[static_cast<size_t>(axes[i])];
            strides[i] = source.strides()[static_cast<size_t>(axes[i])];
        }
        return copy(tensor_op, source, shape, strides);
    }
    const size_t last = shape.size() - 1;
    std::swap(shape[last - 1], shape[last]);
    std::swap(strides[last - 1], strides[last]);
    return copy(tensor_op, source, shape, strides);
}

}  // namespace tsr::ir::eval::graph
