#include "runtime/tensor/tensor.h"

#include <algorithm>
#include <cstring>

#include "runtime/fail.h"
#include "runtime/made_objects.h"
#include "runtime/numbers/dtypes.h"

namespace tsr::runtime {

namespace {

// Negative offsets occur in views with negative strides.
int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

TensorRef new_handle(int32_t dtype, Shape shape) {
    auto* tensor = new TsrTensor;  // axes past the rank stay undefined
    object_made(ObjectKind::tensor, tensor);
    const TsrDLDataType type{static_cast<uint8_t>(row(dtype).dlpack), static_cast<uint8_t>(bits(dtype)), 1};
    tensor->dl = {nullptr, {TSR_DL_CPU, 0}, static_cast<int32_t>(shape.size()), type, tensor->shape, tensor->strides,
                  0};
    tensor->refs = 1;
    tensor->dtype = dtype;
    tensor->phase = 0;
    tensor->reserved = 0;
    tensor->storage = nullptr;
    std::copy(shape.begin(), shape.end(), tensor->shape);
    dense_strides(dtype, shape, tensor->strides);
    return TensorRef(tensor);
}

struct BitAddress {
    uint8_t* byte;
    int shift;
};

BitAddress address(const TsrTensor& tensor, int64_t offset) {
    int64_t position = (tensor.phase + offset) * bits(tensor.dtype);
    int64_t byte = floor_div(position, 8);
    return {static_cast<uint8_t*>(tensor.dl.data) + byte, static_cast<int>(position - byte * 8)};
}

}  // namespace

int64_t size(const TsrTensor& tensor) {
    int64_t count = 1;
    for (int64_t extent : shape(tensor)) count *= extent;
    return count;
}

std::string type_text(int32_t dtype, Shape shape) {
    std::string result(name(dtype));
    result += '[';
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        if (axis > 0) result += ", ";
        result += std::to_string(shape[axis]);
    }
    return result + ']';
}

std::string type_text(const TsrTensor& tensor) { return type_text(tensor.dtype, shape(tensor)); }

Result<int64_t> dense_bytes(int32_t dtype, Shape shape) {
    if (shape.size() > TSR_MAX_RANK) {
        return Refusal{text("a tensor of rank %zu; at most %d axes are possible", shape.size(), TSR_MAX_RANK)};
    }
    constexpr int64_t kMost = int64_t{1} << 58;
    int64_t pack = pack_elements(dtype);
    int64_t bytes = pack_bytes(dtype);
    // Sizes of 0 do not excuse the others: strides are computed of all of them.
    bool empty = false;
    for (size_t axis = shape.size(); axis-- > 0;) {
        int64_t extent = shape[axis];
        if (extent < 0) return Refusal{text("axis %zu has the negative size %lld", axis, (long long)extent)};
        if (axis + 1 == shape.size()) extent = extent / pack + (extent % pack != 0 ? 1 : 0);
        empty |= extent == 0;
        if (extent != 0 && bytes > kMost / extent) {
            return Refusal{type_text(dtype, shape) + " has more than 2^58 bytes"};
        }
        bytes *= extent != 0 ? extent : 1;
    }
    return empty ? 0 : bytes;
}

void dense_strides(int32_t dtype, Shape shape, int64_t* strides) {
    int64_t pack = pack_elements(dtype);
    int64_t stride = 1;
    for (size_t axis = shape.size(); axis-- > 0;) {
        strides[axis] = stride;
        int64_t extent = shape[axis] > 0 ? shape[axis] : 1;
        stride *= axis + 1 == shape.size() ? (extent + pack - 1) / pack * pack : extent;
    }
}

void set_axes(TsrTensor& tensor, Shape shape, Shape strides) {
    tensor.dl.ndim = static_cast<int32_t>(shape.size());
    std::copy(shape.begin(), shape.end(), tensor.shape);
    std::copy(strides.begin(), strides.end(), tensor.strides);
}

TensorRef make_tensor(int32_t dtype, Shape shape, Contents contents, const TsrPlace* place) {
    Result<int64_t> bytes = dense_bytes(dtype, shape);
    if (!bytes) fail(place, "%s", bytes.message().c_str());
    TensorRef tensor = new_handle(dtype, shape);
    tensor->storage = allocate(*bytes, contents, place);
    tensor->dl.data = tensor->storage->data;
    return tensor;
}

Contents before_writing(int32_t dtype) { return is_packed(dtype) ? Contents::zero : Contents::undefined; }

TensorRef borrow_tensor(int32_t dtype, Shape shape, Shape strides, void* data) {
    TensorRef tensor = new_handle(dtype, shape);
    tensor->storage = new TsrStorage;
    tensor->storage->borrowed = true;
    tensor->storage->gaps = !std::equal(strides.begin(), strides.end(), tensor->strides);
    std::copy(strides.begin(), strides.end(), tensor->strides);
    tensor->dl.data = data;
    tensor->storage->data = data;
    const Result<int64_t> bytes = dense_bytes(dtype, shape);
    tensor->storage->bytes = bytes ? *bytes : 0;
    return tensor;
}

Result<TensorRef> try_make_tensor(int32_t dtype, Shape shape, Contents contents) {
    Result<int64_t> bytes = dense_bytes(dtype, shape);
    if (!bytes) return bytes.refusal();
    TsrStorage* storage = try_allocate(*bytes, contents);
    if (storage == nullptr) {
        return Refusal{text("out of memory for %s, %lld bytes", type_text(dtype, shape).c_str(), (long long)*bytes)};
    }
    TensorRef tensor = new_handle(dtype, shape);
    tensor->storage = storage;
    tensor->dl.data = storage->data;
    return tensor;
}

TensorRef make_view(const TsrTensor& base) {
    TensorRef view = new_handle(base.dtype, {});
    set_axes(*view, shape(base), {base.strides, static_cast<size_t>(base.dl.ndim)});
    view->dl.data = base.dl.data;
    view->phase = base.phase;
    view->storage = base.storage;
    if (view->storage != nullptr) retain(view->storage);
    return view;
}

void advance(TsrTensor& tensor, int64_t offset) {
    int64_t pack = pack_elements(tensor.dtype);
    int64_t position = tensor.phase + offset;
    int64_t packs = floor_div(position, pack);
    tensor.dl.data = static_cast<uint8_t*>(tensor.dl.data) + packs * pack_bytes(tensor.dtype);
    tensor.phase = static_cast<int32_t>(position - packs * pack);
}

uint64_t read_bits(const TsrTensor& tensor, int64_t offset) {
    int count = bits(tensor.dtype);
    if (count >= 8) {
        uint64_t result = 0;
        int64_t bytes = count / 8;
        std::memcpy(&result, static_cast<uint8_t*>(tensor.dl.data) + offset * bytes, static_cast<size_t>(bytes));
        return result;
    }
    auto [byte, shift] = address(tensor, offset);
    unsigned value = byte[0];
    if (shift + count > 8) value |= static_cast<unsigned>(byte[1]) << 8;
    return (value >> shift) & ((1u << count) - 1);
}

void write_bits(TsrTensor& tensor, int64_t offset, uint64_t bits) {
    int count = runtime::bits(tensor.dtype);
    if (count >= 8) {
        int64_t bytes = count / 8;
        std::memcpy(static_cast<uint8_t*>(tensor.dl.data) + offset * bytes, &bits, static_cast<size_t>(bytes));
        return;
    }
    auto [byte, shift] = address(tensor, offset);
    unsigned mask = ((1u << count) - 1) << shift;
    unsigned value = static_cast<unsigned>(bits << shift) & mask;
    byte[0] = static_cast<uint8_t>((byte[0] & ~mask) | value);
    if (shift + count > 8) byte[1] = static_cast<uint8_t>((byte[1] & ~(mask >> 8)) | value >> 8);
}

}  // namespace tsr::runtime

extern "C" {

TsrTensor* tsr_tensor_retain(TsrTensor* tensor) {
    if (tensor != nullptr) __atomic_fetch_add(&tensor->refs, 1, __ATOMIC_RELAXED);
    return tensor;
}

void tsr_tensor_release(TsrTensor* tensor) {
    if (tensor == nullptr || __atomic_fetch_sub(&tensor->refs, 1, __ATOMIC_ACQ_REL) != 1) return;
    if (tensor->storage != nullptr) tsr::runtime::release(tensor->storage);
    tsr::runtime::object_freed(tensor);
    delete tensor;
}

int64_t tsr_size(const TsrTensor* tensor) { return tsr::runtime::size(*tensor); }
}
