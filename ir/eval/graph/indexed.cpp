// Elements by their number along an axis: the place of the greatest, gathers, scatters.
#include "ir/ops/indexed.h"

#include <fmt/format.h>

#include "ir/eval/graph/operations.h"
#include "ir/eval/host_failure.h"
#include "ir/ops/reduction.h"

namespace tsr::ir::eval::graph {

namespace {

bool compares(OpKind comparison, DType type, Bits a, Bits b) { return (exactly(comparison, type, a, b) & 1) != 0; }
bool is_unordered(DType type, Bits value) { return is_float(type) && compares(OpKind::ne, type, value, value); }

// The number of the first of the best among the elements from an offset on.
int64_t best_of(const TensorView& source, int64_t offset, int64_t length, int64_t step, OpKind better) {
    if (length == 0)
        throw HostFailure{"assertion failed: an axis without elements has none that is the greatest or the least"};
    int64_t best = 0;
    Bits best_value = source.get(offset);
    for (int64_t i = 1; i < length; ++i) {
        const Bits value = source.get(offset + i * step);
        if (is_unordered(source.elem(), best_value)) break;
        if (!is_unordered(source.elem(), value) && !compares(better, source.elem(), value, best_value)) continue;
        best = i;
        best_value = value;
    }
    return best;
}

TsrSlot index_slot(int64_t value) {
    TsrSlot slot{};
    slot.bits = static_cast<Bits>(value);
    return slot;
}

// Strides of a tensor along the positions, and the step along the axis that ids number.
struct Placed {
    PerAxis strides;
    int64_t step = 0, extent = 0;
};
Placed along_positions(const PerAxis& shape, const PerAxis& strides, std::string_view letters,
                       const IndexLetters& all) {
    Placed placed;
    for (char letter : all.positions) {
        const size_t axis = letters.find(letter);
        placed.strides.push_back(axis == std::string_view::npos ? 0 : strides[axis]);
    }
    const size_t axis = letters.find(all.indexed());
    if (axis != std::string_view::npos) {
        placed.step = strides[axis];
        placed.extent = shape[axis];
    }
    return placed;
}

PerAxis dense_strides(const PerAxis& shape) {
    PerAxis strides(shape.size(), 1);
    for (size_t axis = shape.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * shape[axis];
    return strides;
}

PerAxis shape_of_positions(const TensorView& x, const TensorView& ids, const IndexLetters& letters) {
    PerAxis shape;
    for (char letter : letters.positions) {
        const size_t in_ids = letters.ids.find(letter), in_x = letters.x.find(letter);
        shape.push_back(in_ids != std::string_view::npos ? ids.shape()[in_ids] : x.shape()[in_x]);
        if (in_ids != std::string_view::npos && in_x != std::string_view::npos && shape.back() != x.shape()[in_x]) {
            throw HostFailure{
                fmt::format("{} is not indexed with {}: axis {} does not fit", x.text(), ids.text(), in_x)};
        }
    }
    return shape;
}

// Whether there is such an element; else it is an error, or nothing is done.
bool id_is_inside(const IndexedOp& op, int64_t id, int64_t place, int64_t extent) {
    if (id >= 0 && id < extent) return true;
    if (op.allows_outside()) return false;
    throw HostFailure{
        fmt::format("assertion failed: id {} at place {} is outside of an axis of {} elements", id, place, extent)};
}

}  // namespace

TsrSlot reduce_index(const TensorOp& tensor_op) {
    const ReduceIndexOp op(tensor_op.function, tensor_op.id);
    const TensorView source = tensor_op.tensor(0);
    const OpKind better = op.least() ? OpKind::lt : OpKind::gt;
    if (!op.axis()) {  // of a dense copy, whose elements stand in row-major order
        NewTensor dense(tensor_op.api, source.elem(), source.shape());
        int64_t count = 0;
        for (IndexMaps at(source.shape(), {source.strides(), dense.strides()}); !at.done(); at.next(), ++count) {
            dense.set(at.offset(1), source.get(at.offset(0)));
        }
        const TsrSlot held = dense.release();
        const int64_t best = best_of(TensorView(*held.tensor), 0, count, 1, better);
        tensor_op.api.tensor_release(held.tensor);
        return index_slot(best);
    }
    const size_t axis = *op.axis();
    PerAxis shape = source.shape(), strides = source.strides();
    const int64_t length = shape[axis], step = strides[axis];
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
    strides.erase(strides.begin() + static_cast<std::ptrdiff_t>(axis));
    if (shape.empty()) return index_slot(best_of(source, 0, length, step, better));
    NewTensor result(tensor_op.api, DType::i64, shape);
    for (IndexMaps at(shape, {strides, result.strides()}); !at.done(); at.next()) {
        result.set(at.offset(1), static_cast<Bits>(best_of(source, at.offset(0), length, step, better)));
    }
    return result.release();
}

TsrSlot gather_axis(const TensorOp& tensor_op) {
    const IndexedOp op(tensor_op.function, tensor_op.id);
    const IndexLetters letters = op.letters();
    const TensorView x = tensor_op.tensor(0), ids = tensor_op.tensor(1);
    const PerAxis shape = shape_of_positions(x, ids, letters);
    const Placed from = along_positions(x.shape(), x.strides(), letters.x, letters);
    const Placed by = along_positions(ids.shape(), ids.strides(), letters.ids, letters);
    NewTensor result(tensor_op.api, x.elem(), shape);
    const Placed place = along_positions(ids.shape(), dense_strides(ids.shape()), letters.ids, letters);
    for (IndexMaps at(shape, {from.strides, by.strides, result.strides(), place.strides}); !at.done(); at.next()) {
        const auto id = static_cast<int64_t>(cast_scalar(ids.elem(), DType::i64, ids.get(at.offset(1))));
        const bool inside = id_is_inside(op, id, at.offset(3), from.extent);
        result.set(at.offset(2), inside ? x.get(at.offset(0) + id * from.step) : canonical(x.elem(), 0));
    }
    return result.release();
}

TsrSlot scatter_axis(const TensorOp& tensor_op) {
    const IndexedOp op(tensor_op.function, tensor_op.id);
    const IndexLetters letters = op.letters();
    const TensorView x = tensor_op.tensor(0), ids = tensor_op.tensor(1), values = tensor_op.tensor(2);
    NewTensor result(tensor_op.api, x.elem(), x.shape());
    for (IndexMaps at(x.shape(), {x.strides(), result.strides()}); !at.done(); at.next()) {
        result.set(at.offset(1), x.get(at.offset(0)));
    }
    const PerAxis shape = shape_of_positions(x, ids, letters);
    if (values.shape() != shape) throw HostFailure{fmt::format("{} is not what is scattered", values.text())};
    const Placed to = along_positions(x.shape(), result.strides(), letters.x, letters);
    const Placed by = along_positions(ids.shape(), ids.strides(), letters.ids, letters);
    const Placed place = along_positions(ids.shape(), dense_strides(ids.shape()), letters.ids, letters);
    for (IndexMaps at(shape, {to.strides, by.strides, values.strides(), place.strides}); !at.done(); at.next()) {
        const auto id = static_cast<int64_t>(cast_scalar(ids.elem(), DType::i64, ids.get(at.offset(1))));
        if (!id_is_inside(op, id, at.offset(3), to.extent)) continue;
        const int64_t offset = at.offset(0) + id * to.step;
        const Bits value = values.get(at.offset(2));
        const auto what = op.what();
        result.set(offset, what ? exactly(combining(*what), x.elem(), result.get(offset), value) : value);
    }
    return result.release();
}

}  // namespace tsr::ir::eval::graph
