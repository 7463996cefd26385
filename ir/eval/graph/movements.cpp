// Elements in other places: whole tensors in another shape, blocks, borders, tensors joined.
#include "ir/ops/movements.h"

#include <fmt/format.h>

#include "ir/eval/graph/operations.h"
#include "ir/eval/host_failure.h"
#include "ir/law/scalar.h"

namespace tsr::ir::eval::graph {

namespace {

int64_t count_of(const PerAxis& shape) {
    int64_t count = 1;
    for (int64_t extent : shape) count *= extent;
    return count;
}

PerAxis starts_of(const TensorOp& tensor_op, size_t first) {
    PerAxis starts;
    for (size_t i = first; i < tensor_op.operands.size(); ++i)
        starts.push_back(static_cast<int64_t>(tensor_op.operands[i].bits));
    return starts;
}

// Where a block lies in a tensor: the offset of its first element, and of each next one along each axis.
struct Block {
    int64_t first = 0;
    PerAxis strides;
};
Block block_in(const PerAxis& whole, const PerAxis& strides, const PerAxis& starts, const PerAxis& shape,
               const BlockOp& op) {
    Block block;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        const int64_t last = starts[axis] + op.step(axis) * (shape[axis] - 1);
        const bool inside = starts[axis] >= 0 && starts[axis] < whole[axis] && last >= 0 && last < whole[axis];
        if (count_of(shape) != 0 && !inside) {
            throw HostFailure{fmt::format("a block from {} to {} lies outside of axis {} of {} elements", starts[axis],
                                          last, axis, whole[axis])};
        }
        block.first += starts[axis] * strides[axis];
        block.strides.push_back(op.step(axis) * strides[axis]);
    }
    return block;
}

void fill_with(NewTensor& result, const PerAxis& shape, Bits value) {
    for (IndexMaps at(shape, {result.strides()}); !at.done(); at.next()) result.set(at.offset(0), value);
}

void copy_all(const TensorView& source, NewTensor& result) {
    for (IndexMaps at(source.shape(), {source.strides(), result.strides()}); !at.done(); at.next())
        result.set(at.offset(1), source.get(at.offset(0)));
}

}  // namespace

TsrSlot positions(const TensorOp& tensor_op) {
    const PerAxis shape = shape_of(tensor_op);
    const DType type = tensor_op.op().attrs.dtype(Attr::type);
    NewTensor result(tensor_op.api, type, shape);
    for (int64_t i = 0; i < shape[0]; ++i) result.set(i, canonical(type, static_cast<Bits>(i)));
    return result.release();
}

TsrSlot reshape(const TensorOp& tensor_op) {
    const PerAxis shape = shape_of(tensor_op);
    const Type& type = tensor_op.function.type(ReshapeOp(tensor_op.function, tensor_op.id).value());
    const bool from_scalar = type.is_scalar();
    if (from_scalar && shape.empty()) return tensor_op.operands.front();
    if (from_scalar) {
        NewTensor result(tensor_op.api, type.elem, shape);
        if (count_of(shape) != 1) throw HostFailure{fmt::format("a scalar has no [{}]", fmt::join(shape, ", "))};
        result.set(0, tensor_op.operands.front().bits);
        return result.release();
    }
    const TensorView source = tensor_op.tensor(0);
    if (count_of(shape) != count_of(source.shape())) {
        throw HostFailure{fmt::format("{} has {} elements, [{}] has {}", source.text(), count_of(source.shape()),
                                      fmt::join(shape, ", "), count_of(shape))};
    }
    if (shape.empty()) {
        TsrSlot scalar{};
        scalar.bits = source.get(0);
        return scalar;
    }
    NewTensor result(tensor_op.api, source.elem(), shape);
    IndexMaps to(shape, {result.strides()});
    for (IndexMaps from(source.shape(), {source.strides()}); !from.done(); from.next(), to.next())
        result.set(to.offset(0), source.get(from.offset(0)));
    return result.release();
}

TsrSlot slice(const TensorOp& tensor_op) {
    const TensorView source = tensor_op.tensor(0);
    const PerAxis shape = shape_of(tensor_op);
    const Block block = block_in(source.shape(), source.strides(), starts_of(tensor_op, 1), shape,
                                 BlockOp(tensor_op.function, tensor_op.id));
    NewTensor result(tensor_op.api, source.elem(), shape);
    for (IndexMaps at(shape, {block.strides, result.strides()}); !at.done(); at.next())
        result.set(at.offset(1), source.get(block.first + at.offset(0)));
    return result.release();
}

TsrSlot pad(const TensorOp& tensor_op) {
    const TensorView source = tensor_op.tensor(0);
    const PerAxis shape = shape_of(tensor_op);
    const PerAxis starts = starts_of(tensor_op, 2);
    NewTensor result(tensor_op.api, source.elem(), shape);
    fill_with(result, shape, tensor_op.slot(PadOp(tensor_op.function, tensor_op.id).fill()).bits);
    // What of the source lies inside.
    PerAxis inside(shape.size());
    int64_t from = 0, to = 0;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        const int64_t begin = std::max<int64_t>(starts[axis], 0);
        const int64_t end = std::min(shape[axis], starts[axis] + source.shape()[axis]);
        inside[axis] = std::max<int64_t>(end - begin, 0);
        from += (begin - starts[axis]) * source.strides()[axis];
        to += begin * result.strides()[axis];
    }
    for (IndexMaps at(inside, {source.strides(), result.strides()}); !at.done(); at.next())
        result.set(to + at.offset(1), source.get(from + at.offset(0)));
    return result.release();
}

TsrSlot concat(const TensorOp& tensor_op) {
    const ConcatOp op(tensor_op.function, tensor_op.id);
    const PerAxis shape = shape_of(tensor_op);
    NewTensor result(tensor_op.api, tensor_op.tensor(0).elem(), shape);
    int64_t begin = 0;
    for (size_t i = 0; i < tensor_op.operands.size(); ++i) {
        const TensorView part = tensor_op.tensor(i);
        PerAxis fits = shape;
        fits[op.axis()] = part.shape()[op.axis()];
        if (part.shape() != fits || begin + fits[op.axis()] > shape[op.axis()]) {
            throw HostFailure{
                fmt::format("{} does not fit into [{}] from {} on", part.text(), fmt::join(shape, ", "), begin)};
        }
        const int64_t first = begin * result.strides()[op.axis()];
        for (IndexMaps at(part.shape(), {part.strides(), result.strides()}); !at.done(); at.next())
            result.set(first + at.offset(1), part.get(at.offset(0)));
        begin += fits[op.axis()];
    }
    if (begin != shape[op.axis()]) throw HostFailure{fmt::format("{} elements of {}", begin, shape[op.axis()])};
    return result.release();
}

TsrSlot update(const TensorOp& tensor_op) {
    const TensorView source = tensor_op.tensor(0), put = tensor_op.tensor(1);
    NewTensor result(tensor_op.api, source.elem(), source.shape());
    copy_all(source, result);
    const Block block = block_in(source.shape(), result.strides(), starts_of(tensor_op, 2), put.shape(),
                                 BlockOp(tensor_op.function, tensor_op.id));
    for (IndexMaps at(put.shape(), {block.strides, put.strides()}); !at.done(); at.next())
        result.set(block.first + at.offset(0), put.get(at.offset(1)));
    return result.release();
}

}  // namespace tsr::ir::eval::graph
