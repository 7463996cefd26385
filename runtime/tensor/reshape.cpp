// Other shapes of the same elements.
#include <algorithm>
#include <array>

#include "runtime/fail.h"
#include "runtime/tensor/home.h"
#include "runtime/tensor/tensor.h"

using namespace tsr::runtime;

namespace {

// Replaces one -1 by what is left over; fails when the number of elements differs.
void complete_shape(const TsrTensor& tensor, std::span<int64_t> shape, const TsrPlace* place) {
    int64_t known = 1;
    int64_t* open = nullptr;
    for (int64_t& extent : shape) {
        if (extent == -1 && open == nullptr) {
            open = &extent;
        } else if (extent < 0) {
            fail(place, "a shape of reshape() has the size %lld", static_cast<long long>(extent));
        } else if (__builtin_mul_overflow(known, extent, &known)) {
            fail(place, "a shape of reshape() has more than 2^63 elements");
        }
    }
    int64_t count = size(tensor);
    if (open != nullptr && known != 0 && count % known == 0) {
        *open = count / known;
        return;
    }
    if (open != nullptr || known != count) {
        fail(place, "%s has %lld elements and can not be reshaped to %s", type_text(tensor).c_str(),
             static_cast<long long>(count), type_text(tensor.dtype, shape).c_str());
    }
}

}  // namespace

extern "C" {

TsrTensor* tsr_reshape(const TsrTensor* tensor, const int64_t* shape, int32_t rank, const TsrPlace* place) {
    if (rank > TSR_MAX_RANK) fail(place, "a shape of %d axes; at most %d are possible", rank, TSR_MAX_RANK);
    std::array<int64_t, TSR_MAX_RANK> wanted{};
    std::copy_n(shape, rank, wanted.begin());
    std::span<int64_t> extents(wanted.data(), static_cast<size_t>(rank));
    complete_shape(*tensor, extents, place);
    std::array<int64_t, TSR_MAX_RANK> strides{};
    dense_strides(tensor->dtype, extents, strides.data());
    int64_t row = tensor->dl.ndim > 0 ? tensor->shape[tensor->dl.ndim - 1] : 1;
    // Rows of packed types are padded: they keep their memory only when the last axis keeps its size.
    bool rows_stay = tensor->dl.dtype.bits >= 8 || (rank > 0 ? extents.back() : 1) == row;
    if (rows_stay && tsr_is_dense(tensor)) {
        TensorRef view = make_view(*tensor);
        set_axes(*view, extents, {strides.data(), extents.size()});
        return view.give();
    }
    TensorRef flat_source(tsr_copy(tensor, place));
    if (rows_stay) return tsr_reshape(flat_source.get(), extents.data(), rank, place);
    TensorRef result = make_tensor(tensor->dtype, extents, before_writing(tensor->dtype), place);
    read_at_home(*flat_source);
    write_at_home(*result);
    // Rows of packed elements: element by element in row-major order, both sides may have padded rows.
    int64_t count = size(*tensor);
    int64_t result_row = rank > 0 ? std::max<int64_t>(extents.back(), 1) : 1;
    int64_t result_pitch = rank > 1 ? strides[static_cast<size_t>(rank) - 2] : result_row;
    int64_t source_pitch = tensor->dl.ndim > 1 ? flat_source->strides[tensor->dl.ndim - 2] : row;
    for (int64_t i = 0; i < count; ++i) {
        write_bits(*result, i / result_row * result_pitch + i % result_row,
                   read_bits(*flat_source, i / row * source_pitch + i % row));
    }
    return result.give();
}

TsrTensor* tsr_broadcast_to(const TsrTensor* tensor, const int64_t* shape, int32_t rank, const TsrPlace* place) {
    std::span<const int64_t> wanted(shape, static_cast<size_t>(rank));
    int32_t extra = rank - tensor->dl.ndim;
    bool fits = extra >= 0 && rank <= TSR_MAX_RANK;
    TensorRef view = make_view(*tensor);
    for (int32_t axis = 0; fits && axis < rank; ++axis) {
        int64_t extent = axis < extra ? 1 : tensor->shape[axis - extra];
        fits = extent == shape[axis] || (extent == 1 && shape[axis] >= 0);
        view->shape[axis] = shape[axis];
        view->strides[axis] = extent == shape[axis] && axis >= extra ? tensor->strides[axis - extra] : 0;
    }
    if (!fits) {
        fail(place, "%s does not broadcast to the shape %s", type_text(*tensor).c_str(),
             type_text(tensor->dtype, wanted).c_str());
    }
    view->dl.ndim = rank;
    return view.give();
}
}
