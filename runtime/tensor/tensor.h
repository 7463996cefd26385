// The tensor handle inside the runtime: owned references, new tensors, addresses of elements.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "runtime/abi.h"
#include "runtime/result.h"
#include "runtime/tensor/storage.h"

namespace tsr::runtime {

// One owned reference.
class TensorRef {
public:
    TensorRef() = default;
    explicit TensorRef(TsrTensor* owned) : tensor_(owned) {}
    TensorRef(TensorRef&& other) noexcept : tensor_(std::exchange(other.tensor_, nullptr)) {}
    TensorRef& operator=(TensorRef&& other) noexcept {
        std::swap(tensor_, other.tensor_);
        return *this;
    }
    TensorRef(const TensorRef& other) : tensor_(tsr_tensor_retain(other.tensor_)) {}
    TensorRef& operator=(const TensorRef& other) { return *this = TensorRef(other); }
    ~TensorRef() { tsr_tensor_release(tensor_); }

    TsrTensor* get() const { return tensor_; }
    TsrTensor* operator->() const { return tensor_; }
    TsrTensor& operator*() const { return *tensor_; }
    TsrTensor* give() { return std::exchange(tensor_, nullptr); }
    explicit operator bool() const { return tensor_ != nullptr; }

private:
    TsrTensor* tensor_ = nullptr;
};

using Shape = std::span<const int64_t>;

inline Shape shape(const TsrTensor& tensor) { return {tensor.dl.shape, static_cast<size_t>(tensor.dl.ndim)}; }
int64_t size(const TsrTensor& tensor);

// "f32[2, 3]"
std::string type_text(int32_t dtype, Shape shape);
std::string type_text(const TsrTensor& tensor);

// Bytes of a dense tensor, rows of packed types padded to whole packs. Refused: negative sizes, a rank past
// TSR_MAX_RANK, more than 2^58 bytes.
Result<int64_t> dense_bytes(int32_t dtype, Shape shape);

// A dense tensor with memory of its own; fails as allocate does.
TensorRef make_tensor(int32_t dtype, Shape shape, Contents contents, const TsrPlace* place);
// The same for readers of files: out of memory is a refusal.
Result<TensorRef> try_make_tensor(int32_t dtype, Shape shape, Contents contents);
// What memory is to hold of which every element will be written: bits that pad rows of packed types are zero.
Contents before_writing(int32_t dtype);
// Memory of somebody else, who keeps it until the last reference is gone.
TensorRef borrow_tensor(int32_t dtype, Shape shape, Shape strides, void* data);
// A view: shares the storage of `base`; data, shape and strides are base's until changed.
TensorRef make_view(const TsrTensor& base);
void set_axes(TsrTensor& tensor, Shape shape, Shape strides);

// Strides of a dense tensor, in elements.
void dense_strides(int32_t dtype, Shape shape, int64_t* strides);

// Moves the first element by `offset` elements.
void advance(TsrTensor& tensor, int64_t offset);

// Bits of the element `offset` elements after the first one (before it, where negative).
uint64_t read_bits(const TsrTensor& tensor, int64_t offset);
void write_bits(TsrTensor& tensor, int64_t offset, uint64_t bits);

}  // namespace tsr::runtime
