// New tensors: filled, counted, copied from memory or from lists.
#include <array>
#include <cmath>
#include <cstring>

#include "runtime/fail.h"
#include "runtime/numbers/dtypes.h"
#include "runtime/numbers/number.h"
#include "runtime/tensor/rows.h"
#include "runtime/tensor/tensor.h"
#include "runtime/values/value_type.h"

namespace tsr::runtime {

namespace {

Shape axes(const int64_t* shape, int32_t rank) { return {shape, static_cast<size_t>(rank)}; }

// One axis of `count` elements, each given by its number.
template <typename Value>
TensorRef counted(int32_t dtype, int64_t count, const TsrPlace* place, Value value) {
    TensorRef result = make_tensor(dtype, {&count, 1}, Contents::zero, place);
    for (int64_t i = 0; i < count; ++i) write_bits(*result, i, bits_of(Number::of(value(i)), dtype));
    return result;
}

// The lengths of nested lists, taken from the first item of each level.
Shape list_shape(const TsrList& list, std::array<int64_t, TSR_MAX_RANK>& shape, const TsrPlace* place) {
    size_t rank = 0;
    const TsrList* level = &list;
    while (true) {
        if (rank == TSR_MAX_RANK) fail(place, "a list nested more than %d deep", TSR_MAX_RANK);
        shape[rank++] = level->length;
        if (!is_container_type(level->type + 1) || level->length == 0) break;
        level = level->items[0].list;
    }
    return {shape.data(), rank};
}

void fill_from_list(TsrTensor& tensor, const TsrList& list, size_t axis, int64_t offset, const TsrPlace* place) {
    if (list.length != tensor.shape[axis]) {
        fail(place, "a list of %lld items among lists of %lld: not the rows of a tensor",
             static_cast<long long>(list.length), static_cast<long long>(tensor.shape[axis]));
    }
    bool innermost = axis + 1 == static_cast<size_t>(tensor.dl.ndim);
    if (list.length > 0 && (innermost ? !is_scalar_type(list.type + 1) : !is_container_type(list.type + 1))) {
        fail(place, "lists of different depth do not make a tensor");
    }
    for (int64_t i = 0; i < list.length; ++i) {
        int64_t at = offset + i * tensor.strides[axis];
        if (innermost) {
            write_bits(tensor, at, tsr_convert_bits(list.items[i].bits, scalar_dtype(list.type + 1), tensor.dtype));
        } else {
            fill_from_list(tensor, *list.items[i].list, axis + 1, at, place);
        }
    }
}

}  // namespace

}  // namespace tsr::runtime

using namespace tsr::runtime;

extern "C" {

TsrTensor* tsr_empty(int32_t dtype, const int64_t* shape, int32_t rank, const TsrPlace* place) {
    TensorRef result = make_tensor(dtype, axes(shape, rank), Contents::undefined, place);
    result->storage->fresh = Fresh::undefined;
    return result.give();
}

TsrTensor* tsr_zeros(int32_t dtype, const int64_t* shape, int32_t rank, const TsrPlace* place) {
    TensorRef result = make_tensor(dtype, axes(shape, rank), Contents::zero, place);
    result->storage->fresh = Fresh::zero;
    return result.give();
}

TsrTensor* tsr_full(int32_t dtype, const int64_t* shape, int32_t rank, uint64_t bits, const TsrPlace* place) {
    TensorRef result = make_tensor(dtype, axes(shape, rank), Contents::zero, place);
    if (bits != 0) tsr_fill(result.get(), bits, place);
    return result.give();
}

TsrTensor* tsr_ones(int32_t dtype, const int64_t* shape, int32_t rank, const TsrPlace* place) {
    return tsr_full(dtype, shape, rank, bits_of(Number::of(int64_t{1}), dtype), place);
}

TsrTensor* tsr_arange_i64(int32_t dtype, int64_t start, int64_t stop, int64_t step, const TsrPlace* place) {
    if (step == 0) fail(place, "arange() with step 0");
    uint64_t count = 0;
    if (step > 0 && start < stop) {
        count = (static_cast<uint64_t>(stop) - static_cast<uint64_t>(start) - 1) / static_cast<uint64_t>(step) + 1;
    } else if (step < 0 && start > stop) {
        count =
            (static_cast<uint64_t>(start) - static_cast<uint64_t>(stop) - 1) / (0 - static_cast<uint64_t>(step)) + 1;
    }
    if (count >> 62 != 0) fail(place, "arange() of more than 2^62 elements");
    return counted(dtype, static_cast<int64_t>(count), place, [&](int64_t i) { return start + i * step; }).give();
}

TsrTensor* tsr_arange_f64(int32_t dtype, double start, double stop, double step, const TsrPlace* place) {
    double length = std::ceil((stop - start) / step);
    if (step == 0 || !std::isfinite(length)) {
        fail(place, "arange(%g, %g, %g) has no finite number of elements", start, stop, step);
    }
    if (length >= 0x1p62) fail(place, "arange() of more than 2^62 elements");
    int64_t count = length > 0 ? static_cast<int64_t>(length) : 0;
    return counted(dtype, count, place, [&](int64_t i) { return start + static_cast<double>(i) * step; }).give();
}

TsrTensor* tsr_linspace(int32_t dtype, double start, double stop, int64_t count, const TsrPlace* place) {
    double intervals = static_cast<double>(count - 1);
    return counted(dtype, count, place,
                   [&](int64_t i) {
                       if (i == count - 1 && i > 0) return stop;
                       return start + static_cast<double>(i) * (stop - start) / (intervals > 0 ? intervals : 1);
                   })
        .give();
}

TsrTensor* tsr_from_values(int32_t dtype, const int64_t* shape, int32_t rank, const void* values,
                           const TsrPlace* place) {
    if (is_packed(dtype)) {
        TensorRef result = make_tensor(dtype, axes(shape, rank), Contents::zero, place);
        const auto* codes = static_cast<const uint8_t*>(values);
        const auto fill = [&](auto&& self, int32_t axis, int64_t offset) -> void {
            if (axis == rank) return write_bits(*result, offset, *codes++);
            for (int64_t i = 0; i < shape[axis]; ++i) self(self, axis + 1, offset + i * result->strides[axis]);
        };
        fill(fill, 0, 0);
        return result.give();
    }
    TensorRef result = make_tensor(dtype, axes(shape, rank), Contents::undefined, place);
    std::memcpy(result->dl.data, values, static_cast<size_t>(*dense_bytes(dtype, axes(shape, rank))));
    return result.give();
}

TsrTensor* tsr_from_list(int32_t dtype, const TsrList* list, const TsrPlace* place) {
    std::array<int64_t, TSR_MAX_RANK> extents{};
    Shape shape = list_shape(*list, extents, place);
    TensorRef result = make_tensor(dtype, shape, Contents::zero, place);
    fill_from_list(*result, *list, 0, 0, place);
    return result.give();
}
}
