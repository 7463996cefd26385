// Tensors made of nested lists of numbers.
#include <array>

#include "runtime/fail.h"
#include "runtime/tensor/tensor.h"
#include "runtime/values/value_type.h"

namespace tsr::runtime {

namespace {

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

extern "C" TsrTensor* tsr_from_list(int32_t dtype, const TsrList* list, const TsrPlace* place) {
    using namespace tsr::runtime;
    std::array<int64_t, TSR_MAX_RANK> extents{};
    Shape shape = list_shape(*list, extents, place);
    TensorRef result = make_tensor(dtype, shape, Contents::zero, place);
    fill_from_list(*result, *list, 0, 0, place);
    return result.give();
}
