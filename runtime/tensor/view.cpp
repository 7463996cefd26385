// Views by index, slice, new axis and ellipsis, with NumPy's meaning (NumPy reference, "Indexing on ndarrays").
#include <algorithm>
#include <array>

#include "runtime/fail.h"
#include "runtime/numbers/dtypes.h"
#include "runtime/tensor/tensor.h"

namespace tsr::runtime {

namespace {

struct Range {
    int64_t start, count;
};

// Python's slice.indices, with the number of elements.
Range clip(const TsrIndexItem& item, int64_t extent) {
    bool forward = item.step > 0;
    int64_t lowest = forward ? 0 : -1, highest = forward ? extent : extent - 1;
    auto bound = [&](int64_t value) { return value < 0 ? std::max(value + extent, lowest) : std::min(value, highest); };
    int64_t start = item.given & 1 ? bound(item.start) : forward ? lowest : highest;
    int64_t stop = item.given & 2 ? bound(item.stop) : forward ? highest : lowest;
    // Distances are below 2^62 and a step may be anything: nothing is negated but steps above the lowest.
    int64_t distance = forward ? stop - start : start - stop;
    if (distance <= 0) return {forward ? 0 : extent - 1, 0};
    auto step = forward ? static_cast<uint64_t>(item.step) : 0 - static_cast<uint64_t>(item.step);
    return {start, static_cast<int64_t>((static_cast<uint64_t>(distance) - 1) / step) + 1};
}

// Reads the items in order; axes of `base` are consumed from the left.
class ViewMaker {
public:
    ViewMaker(const TsrTensor& base, const TsrPlace* place) : base_(base), place_(place) {}

    void integer(int64_t index) {
        int64_t extent = base_.shape[axis_];
        int64_t i = index < 0 ? index + extent : index;
        if (i < 0 || i >= extent) {
            fail(place_, "index %lld is outside axis %d of %s", static_cast<long long>(index), axis_,
                 type_text(base_).c_str());
        }
        offset_ += i * base_.strides[axis_++];
    }

    void slice(TsrIndexItem item) {
        if (!(item.given & 4)) item.step = 1;
        if (item.step == 0) fail(place_, "a slice of %s has step 0", type_text(base_).c_str());
        Range range = clip(item, base_.shape[axis_]);
        int64_t stride = base_.strides[axis_++];
        if (range.count > 0) offset_ += range.start * stride;
        // A step past the end of the axis is never taken: one element needs no stride.
        push(range.count, range.count > 1 ? stride * item.step : stride);
    }

    void keep(int32_t axes) {
        for (int32_t k = 0; k < axes; ++k, ++axis_) push(base_.shape[axis_], base_.strides[axis_]);
    }

    void new_axis() { push(1, 1); }

    TensorRef view() {
        keep(base_.dl.ndim - axis_);
        TensorRef result = make_view(base_);
        set_axes(*result, {shape_.data(), rank_}, {strides_.data(), rank_});
        advance(*result, offset_);
        return result;
    }

private:
    void push(int64_t extent, int64_t stride) {
        if (rank_ == TSR_MAX_RANK) fail(place_, "a view of more than %d axes", TSR_MAX_RANK);
        shape_[rank_] = extent;
        strides_[rank_++] = stride;
    }

    const TsrTensor& base_;
    const TsrPlace* place_;
    std::array<int64_t, TSR_MAX_RANK> shape_{}, strides_{};
    size_t rank_ = 0;
    int32_t axis_ = 0;
    int64_t offset_ = 0;
};

// The same memory, read as another type of whole bytes.
TensorRef view_as(const TsrTensor& base, int32_t dtype, Shape shape, Shape strides) {
    TensorRef view = make_view(base);
    view->dtype = dtype;
    view->dl.dtype = {static_cast<uint8_t>(row(dtype).dlpack), static_cast<uint8_t>(bits(dtype)), 1};
    set_axes(*view, shape, strides);
    return view;
}

}  // namespace

}  // namespace tsr::runtime

using namespace tsr::runtime;

extern "C" {

TsrTensor* tsr_view(const TsrTensor* tensor, const TsrIndexItem* items, int32_t count, const TsrPlace* place) {
    int32_t consumed = 0, ellipses = 0;
    for (int32_t k = 0; k < count; ++k) {
        consumed += items[k].kind == TSR_INDEX_INTEGER || items[k].kind == TSR_INDEX_SLICE;
        ellipses += items[k].kind == TSR_INDEX_ELLIPSIS;
    }
    if (consumed > tensor->dl.ndim) {
        fail(place, "%d indices for %s, which has rank %d", consumed, type_text(*tensor).c_str(), tensor->dl.ndim);
    }
    if (ellipses > 1) fail(place, "an index can only have a single ellipsis ('...')");
    ViewMaker maker(*tensor, place);
    for (int32_t k = 0; k < count; ++k) {
        switch (static_cast<TsrIndexKind>(items[k].kind)) {
            case TSR_INDEX_INTEGER:
                maker.integer(items[k].start);
                break;
            case TSR_INDEX_SLICE:
                maker.slice(items[k]);
                break;
            case TSR_INDEX_NEWAXIS:
                maker.new_axis();
                break;
            case TSR_INDEX_ELLIPSIS:
                maker.keep(tensor->dl.ndim - consumed);
                break;
        }
    }
    return maker.view().give();
}

TsrTensor* tsr_transpose(const TsrTensor* tensor, const int32_t* axes, const TsrPlace* place) {
    int32_t rank = tensor->dl.ndim;
    std::array<bool, TSR_MAX_RANK> used{};
    TensorRef view = make_view(*tensor);
    for (int32_t axis = 0; axis < rank; ++axis) {
        int32_t from = axes == nullptr ? rank - 1 - axis : axes[axis] < 0 ? axes[axis] + rank : axes[axis];
        if (from < 0 || from >= rank || used[static_cast<size_t>(from)]) {
            fail(place, "the axes of a transpose must be 0 to %d, each once", rank - 1);
        }
        used[static_cast<size_t>(from)] = true;
        view->shape[axis] = tensor->shape[from];
        view->strides[axis] = tensor->strides[from];
    }
    return view.give();
}

TsrTensor* tsr_view_as_real(const TsrTensor* tensor, const TsrPlace* place) {
    const auto rank = static_cast<size_t>(tensor->dl.ndim);
    if (tensor->dtype != TSR_C64) fail(place, "%s has no imaginary parts", type_text(*tensor).c_str());
    if (rank == TSR_MAX_RANK) fail(place, "a view of more than %d axes", TSR_MAX_RANK);
    std::array<int64_t, TSR_MAX_RANK> shape{}, strides{};
    std::copy_n(tensor->shape, rank, shape.begin());
    std::transform(tensor->strides, tensor->strides + rank, strides.begin(), [](int64_t s) { return 2 * s; });
    shape[rank] = 2;
    strides[rank] = 1;
    return view_as(*tensor, TSR_F32, {shape.data(), rank + 1}, {strides.data(), rank + 1}).give();
}

TsrTensor* tsr_view_as_complex(const TsrTensor* tensor, const TsrPlace* place) {
    const auto rank = static_cast<size_t>(tensor->dl.ndim);
    if (tensor->dtype != TSR_F32 || rank == 0 || tensor->shape[rank - 1] != 2)
        fail(place, "%s does not end in pairs of f32", type_text(*tensor).c_str());
    const Shape outer{tensor->strides, rank - 1};
    // The stride of an axis of one element is never taken.
    size_t odd = 0;
    for (size_t axis = 0; axis + 1 < rank; ++axis) odd += tensor->shape[axis] > 1 && outer[axis] % 2 != 0;
    if (tensor->strides[rank - 1] != 1 || odd > 0)
        fail(place, "the pairs of %s are not neighbours in memory: copy it first", type_text(*tensor).c_str());
    std::array<int64_t, TSR_MAX_RANK> strides{};
    std::transform(outer.begin(), outer.end(), strides.begin(), [](int64_t s) { return s / 2; });
    return view_as(*tensor, TSR_C64, {tensor->shape, rank - 1}, {strides.data(), rank - 1}).give();
}

TsrTensor* tsr_swap_last(const TsrTensor* tensor, const TsrPlace*) {
    TensorRef view = make_view(*tensor);
    int32_t rank = tensor->dl.ndim;
    if (rank >= 2) {
        std::swap(view->shape[rank - 1], view->shape[rank - 2]);
        std::swap(view->strides[rank - 1], view->strides[rank - 2]);
    }
    return view.give();
}
}
