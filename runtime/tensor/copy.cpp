// Copies of whole tensors, dense forms, assignment to views.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "runtime/fail.h"
#include "runtime/numbers/dtypes.h"
#include "runtime/tensor/home.h"
#include "runtime/tensor/overlap.h"
#include "runtime/tensor/rows.h"
#include "runtime/tensor/storage.h"

namespace tsr::runtime {

namespace {

template <typename Element>
void copy_row(Element* to, int64_t to_step, const Element* from, int64_t from_step, int64_t length) {
    if (to_step == 1 && from_step == 1) {
        std::memcpy(to, from, static_cast<size_t>(length) * sizeof(Element));
        return;
    }
    for (int64_t i = 0; i < length; ++i) to[i * to_step] = from[i * from_step];
}

// A matrix whose rows are neighbours in `from` and whose columns are neighbours in `to`, by blocks whose lines stay in
// a first cache.
template <typename Element>
void copy_turned(Element* to, int64_t to_row, const Element* from, int64_t from_column, int64_t rows, int64_t columns) {
    constexpr int64_t kBlock = std::min<int64_t>(256 / sizeof(Element), 64);
    std::array<Element, kBlock*(kBlock + 1)> block;
    for (int64_t i = 0; i < rows; i += kBlock) {
        const int64_t high = std::min(kBlock, rows - i);
        for (int64_t j = 0; j < columns; j += kBlock) {
            const int64_t wide = std::min(kBlock, columns - j);
            for (int64_t c = 0; c < wide; ++c) {
                const Element* const line = from + i + (j + c) * from_column;
                for (int64_t r = 0; r < high; ++r) block[static_cast<size_t>(r * (kBlock + 1) + c)] = line[r];
            }
            for (int64_t r = 0; r < high; ++r) {
                std::memcpy(to + (i + r) * to_row + j, &block[static_cast<size_t>(r * (kBlock + 1))],
                            static_cast<size_t>(wide) * sizeof(Element));
            }
        }
    }
}

// The axis of a dense tensor `to` along which the elements of `from` are neighbours, where that is not the last: it and
// the last one are transposed. Nothing where there is none or the axes are short.
std::optional<int32_t> turned_axis(const TsrTensor& to, const TsrTensor& from) {
    constexpr int64_t kShort = 8;
    const int32_t last = to.dl.ndim - 1;
    if (last < 1 || to.strides[last] != 1 || from.strides[last] == 1 || to.shape[last] < kShort) return std::nullopt;
    for (int32_t axis = last; axis-- > 0;) {
        if (from.strides[axis] == 1 && to.shape[axis] >= kShort) return axis;
    }
    return std::nullopt;
}

template <typename Element>
void copy_elements(TsrTensor& to, const TsrTensor& from) {
    auto* to_data = static_cast<Element*>(to.dl.data);
    auto* from_data = static_cast<const Element*>(from.dl.data);
    if (const auto turned = turned_axis(to, from)) {
        // Of the axes beside the two the positions are gone through one by one.
        const auto axis = static_cast<size_t>(*turned), last = static_cast<size_t>(to.dl.ndim - 1);
        std::array<int64_t, TSR_MAX_RANK> beside{};
        std::ranges::copy(shape(to), beside.begin());
        beside[axis] = beside[last] = 1;
        for_rows<2>({beside.data(), last + 1}, {to.strides, from.strides}, [&](Offsets<2> start, int64_t, Offsets<2>) {
            copy_turned(to_data + start[0], to.strides[axis], from_data + start[1], from.strides[last], to.shape[axis],
                        to.shape[last]);
        });
        return;
    }
    for_rows<2>(shape(to), {to.strides, from.strides}, [&](Offsets<2> start, int64_t length, Offsets<2> step) {
        copy_row(to_data + start[0], step[0], from_data + start[1], step[1], length);
    });
}

void copy_packed(TsrTensor& to, const TsrTensor& from) {
    for_rows<2>(shape(to), {to.strides, from.strides}, [&](Offsets<2> start, int64_t length, Offsets<2> step) {
        for (int64_t i = 0; i < length; ++i) {
            write_bits(to, start[0] + i * step[0], read_bits(from, start[1] + i * step[1]));
        }
    });
}

// Shapes are equal, dtypes of one width, memory apart.
void copy_values(TsrTensor& to, const TsrTensor& from) {
    switch (bits(to.dtype)) {
        case 8:
            return copy_elements<uint8_t>(to, from);
        case 16:
            return copy_elements<uint16_t>(to, from);
        case 32:
            return copy_elements<uint32_t>(to, from);
        case 64:
            return copy_elements<uint64_t>(to, from);
        default:
            return copy_packed(to, from);
    }
}

}  // namespace

}  // namespace tsr::runtime

using namespace tsr::runtime;

extern "C" {

TsrTensor* tsr_copy(const TsrTensor* tensor, const TsrPlace* place) {
    const bool there = tensor->storage->host_stale && tsr_is_dense(tensor) != 0;
    if (!there) read_at_home(*tensor);
    TensorRef result = make_tensor(tensor->dtype, shape(*tensor), before_writing(tensor->dtype), place);
    if (there) {
        cuda::copy_there(*cuda::open_device(), *result, *tensor, place);
    } else if (tsr_is_dense(tensor)) {
        std::memcpy(result->dl.data, tensor->dl.data, static_cast<size_t>(*dense_bytes(tensor->dtype, shape(*tensor))));
    } else {
        copy_values(*result, *tensor);
    }
    return result.give();
}

int32_t tsr_is_dense(const TsrTensor* tensor) {
    if (tensor->phase != 0) return 0;
    if (size(*tensor) == 0) return 1;
    std::array<int64_t, TSR_MAX_RANK> strides{};
    dense_strides(tensor->dtype, shape(*tensor), strides.data());
    for (int32_t axis = 0; axis < tensor->dl.ndim; ++axis) {
        // The stride of an axis of one element is never used.
        if (tensor->shape[axis] != 1 && tensor->strides[axis] != strides[static_cast<size_t>(axis)]) return 0;
    }
    return 1;
}

TsrTensor* tsr_contiguous(TsrTensor* tensor, const TsrPlace* place) {
    return tsr_is_dense(tensor) ? tsr_tensor_retain(tensor) : tsr_copy(tensor, place);
}

TsrTensor* tsr_own(TsrTensor* tensor, const TsrPlace* place) {
    const TsrStorage& storage = *tensor->storage;
    const bool alone = tensor->refs == 1 && storage.refs == 1 && !storage.borrowed;
    return alone && tsr_is_dense(tensor) ? tsr_tensor_retain(tensor) : tsr_copy(tensor, place);
}

void tsr_assign(TsrTensor* view, const TsrTensor* value, const TsrPlace* place) {
    if (!same_storage(view->dtype, value->dtype)) {
        fail(place, "%s can not be assigned to %s: the element types differ", type_text(*value).c_str(),
             type_text(*view).c_str());
    }
    // NumPy lets leading axes of size 1 go.
    TensorRef source = make_view(*value);
    while (source->dl.ndim > view->dl.ndim && source->shape[0] == 1) {
        set_axes(*source, {source->shape + 1, static_cast<size_t>(source->dl.ndim - 1)},
                 {source->strides + 1, static_cast<size_t>(source->dl.ndim - 1)});
    }
    if (overlap(*view, *source) != Overlap::none) source = TensorRef(tsr_copy(source.get(), place));
    if (source->storage->host_stale && std::ranges::equal(shape(*view), shape(*source)) && tsr_is_dense(view) &&
        tsr_is_dense(source.get()) && cuda::can_have_copy(*view->storage)) {
        cuda::copy_there(*cuda::open_device(), *view, *source, place);
        return;
    }
    TensorRef spread(tsr_broadcast_to(source.get(), view->dl.shape, view->dl.ndim, place));
    read_at_home(*spread);
    write_at_home(*view);
    copy_values(*view, *spread);
}

void tsr_fill(TsrTensor* view, uint64_t bits, const TsrPlace* place) {
    if (view->storage->host_stale && tsr_is_dense(view) && cuda::fill_there(*cuda::open_device(), *view, bits, place)) {
        return;
    }
    TensorRef value = make_tensor(view->dtype, {}, Contents::zero, place);
    write_bits(*value, 0, bits);
    TensorRef spread(tsr_broadcast_to(value.get(), view->dl.shape, view->dl.ndim, place));
    write_at_home(*view);
    copy_values(*view, *spread);
}
}
