// Single elements: bounds checked, negative indices count from the end, reading waits for the launches before it.
#include "runtime/fail.h"
#include "runtime/numbers/dtypes.h"
#include "runtime/numbers/number.h"
#include "runtime/tensor/home.h"

namespace tsr::runtime {

namespace {

std::string index_text(const int64_t* index, int32_t count) {
    std::string result = "[";
    for (int32_t axis = 0; axis < count; ++axis) {
        if (axis > 0) result += ", ";
        result += std::to_string(index[axis]);
    }
    return result + ']';
}

int64_t offset_of(const TsrTensor& tensor, const int64_t* index, int32_t count, const TsrPlace* place) {
    if (count != tensor.dl.ndim) {
        fail(place, "%d indices for %s, which has rank %d", count, type_text(tensor).c_str(), tensor.dl.ndim);
    }
    int64_t offset = 0;
    for (int32_t axis = 0; axis < count; ++axis) {
        int64_t extent = tensor.shape[axis];
        int64_t i = index[axis] < 0 ? index[axis] + extent : index[axis];
        if (i < 0 || i >= extent) {
            fail(place, "index %s is outside %s: axis %d has size %lld", index_text(index, count).c_str(),
                 type_text(tensor).c_str(), axis, static_cast<long long>(extent));
        }
        offset += i * tensor.strides[axis];
    }
    return offset;
}

// Of many elements on a GPU a few are brought alone.
uint64_t element(const TsrTensor& tensor, int64_t offset) {
    TsrStorage& storage = *tensor.storage;
    const int64_t bytes = bits(tensor.dtype) / 8;
    if (storage.host_stale && bytes > 0) {
        uint64_t result = 0;
        const char* at = static_cast<const char*>(tensor.dl.data) + offset * bytes;
        if (cuda::look(storage, at, bytes, &result)) return result;
    }
    read_at_home(tensor);
    return read_bits(tensor, offset);
}

}  // namespace

}  // namespace tsr::runtime

using namespace tsr::runtime;

extern "C" {

int64_t tsr_dim(const TsrTensor* tensor, int32_t axis, const TsrPlace* place) {
    int32_t rank = tensor->dl.ndim;
    int32_t from_start = axis < 0 ? axis + rank : axis;
    if (from_start < 0 || from_start >= rank) {
        fail(place, "axis %d of %s, which has rank %d", axis, type_text(*tensor).c_str(), rank);
    }
    return tensor->shape[from_start];
}

uint64_t tsr_get(const TsrTensor* tensor, const int64_t* index, int32_t count, const TsrPlace* place) {
    return element(*tensor, offset_of(*tensor, index, count, place));
}

double tsr_get_f64(const TsrTensor* tensor, const int64_t* index, int32_t count, const TsrPlace* place) {
    return to_f64(number_of(tsr_get(tensor, index, count, place), tensor->dtype));
}

int64_t tsr_get_i64(const TsrTensor* tensor, const int64_t* index, int32_t count, const TsrPlace* place) {
    return to_i64(number_of(tsr_get(tensor, index, count, place), tensor->dtype));
}

void tsr_set(TsrTensor* tensor, const int64_t* index, int32_t count, uint64_t bits, const TsrPlace* place) {
    int64_t offset = offset_of(*tensor, index, count, place);
    write_at_home(*tensor);
    write_bits(*tensor, offset, bits);
}

void tsr_set_f64(TsrTensor* tensor, const int64_t* index, int32_t count, double value, const TsrPlace* place) {
    tsr_set(tensor, index, count, bits_of(Number::of(value), tensor->dtype), place);
}

void tsr_set_i64(TsrTensor* tensor, const int64_t* index, int32_t count, int64_t value, const TsrPlace* place) {
    tsr_set(tensor, index, count, bits_of(Number::of(value), tensor->dtype), place);
}

uint64_t tsr_item(const TsrTensor* tensor, const TsrPlace* place) {
    if (size(*tensor) != 1) {
        fail(place, "item() needs a tensor of one element; this is %s", type_text(*tensor).c_str());
    }
    return element(*tensor, 0);
}
}
