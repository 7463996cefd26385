// New tensors: filled, counted, copied from memory.
#include <array>
#include <cmath>
#include <cstring>

#include "runtime/fail.h"
#include "runtime/numbers/dtypes.h"
#include "runtime/numbers/number.h"
#include "runtime/tensor/rows.h"
#include "runtime/tensor/tensor.h"

namespace tsr::runtime {

namespace {

Shape axes(const int64_t* shape, int32_t rank) { return {shape, static_cast<size_t>(rank)}; }

// One axis of `count` elements, each given by its number.
template <typename Value>
TensorRef counted(int32_t dtype, int64_t count, const TsrPlace* place, Value value) {
    TensorRef result = make_tensor(dtype, {&count, 1}, before_writing(dtype), place);
    for (int64_t i = 0; i < count; ++i) write_bits(*result, i, bits_of(Number::of(value(i)), dtype));
    return result;
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
    const Contents contents = bits == 0 ? Contents::zero : before_writing(dtype);
    TensorRef result = make_tensor(dtype, axes(shape, rank), contents, place);
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
}
