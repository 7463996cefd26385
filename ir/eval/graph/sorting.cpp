// Sorts: equal elements keep their order, NaNs stand last.
#include <algorithm>
#include <numeric>

#include "ir/eval/graph/operations.h"
#include "ir/eval/host_failure.h"
#include "ir/ops/indexed.h"

namespace tsr::ir::eval::graph {

namespace {

// Gives, of each row along the axis, the numbers of its elements in order.
template <typename Row>
void each_sorted_row(const TensorOp& tensor_op, const TensorView& source, const PerAxis& to, Row&& row) {
    const SortOp op(tensor_op.function, tensor_op.id);
    const DType elem = source.elem();
    const auto holds = [&](OpKind comparison, Bits a, Bits b) { return (exactly(comparison, elem, a, b) & 1) != 0; };
    const auto is_nan = [&](Bits value) { return is_float(elem) && holds(OpKind::ne, value, value); };
    const auto before = [&](Bits a, Bits b) {
        if (is_nan(a) || is_nan(b)) return !is_nan(a) && is_nan(b);
        return op.descends() ? holds(OpKind::gt, a, b) : holds(OpKind::lt, a, b);
    };
    const size_t axis = op.axis();
    const int64_t length = source.shape()[axis], step = source.strides()[axis];
    PerAxis rows = source.shape();
    rows[axis] = length == 0 ? 0 : 1;
    for (IndexMaps at(rows, {source.strides(), to}); !at.done(); at.next()) {
        std::vector<int64_t> order(static_cast<size_t>(length));
        std::iota(order.begin(), order.end(), int64_t{0});
        std::ranges::stable_sort(order, before, [&](int64_t i) { return source.get(at.offset(0) + i * step); });
        row(order, at.offset(0), at.offset(1));
    }
}

}  // namespace

TsrSlot sort(const TensorOp& tensor_op) {
    const TensorView source = tensor_op.tensor(0);
    const size_t axis = SortOp(tensor_op.function, tensor_op.id).axis();
    NewTensor result(tensor_op.api, source.elem(), source.shape());
    const int64_t step = source.strides()[axis], to_step = result.strides()[axis];
    each_sorted_row(tensor_op, source, result.strides(), [&](const auto& order, int64_t from, int64_t to) {
        for (size_t i = 0; i < order.size(); ++i) {
            result.set(to + static_cast<int64_t>(i) * to_step, source.get(from + order[i] * step));
        }
    });
    return result.release();
}

TsrSlot sort_index(const TensorOp& tensor_op) {
    const TensorView source = tensor_op.tensor(0);
    const size_t axis = SortOp(tensor_op.function, tensor_op.id).axis();
    PerAxis shape = source.shape();
    const int64_t count = tensor_op.op().attrs.integer(Attr::count, shape[axis]);
    if (count > shape[axis]) {
        throw HostFailure{"assertion failed: an axis of " + std::to_string(shape[axis]) + " elements has no first " +
                          std::to_string(count)};
    }
    shape[axis] = count;
    NewTensor result(tensor_op.api, DType::i64, shape);
    const int64_t to_step = result.strides()[axis];
    each_sorted_row(tensor_op, source, result.strides(), [&](const auto& order, int64_t, int64_t to) {
        for (int64_t i = 0; i < count; ++i) {
            result.set(to + i * to_step, static_cast<Bits>(order[static_cast<size_t>(i)]));
        }
    });
    return result.release();
}

}  // namespace tsr::ir::eval::graph
