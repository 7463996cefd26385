// Tensors of a graph, element by element: those that are there, read through their strides, and new ones.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/law/scalar.h"
#include "runtime/abi.h"

namespace tsr::ir::eval::graph {

// One number per axis: extents, or elements from one index along the axis to the next.
using PerAxis = std::vector<int64_t>;

// A tensor as it lies in memory: a slice, `.T` or a repeated axis is read where it stands.
class TensorView {
public:
    explicit TensorView(const TsrTensor& tensor);

    [[nodiscard]] DType elem() const { return elem_; }
    [[nodiscard]] const PerAxis& shape() const { return shape_; }
    [[nodiscard]] const PerAxis& strides() const { return strides_; }
    // The element so many elements behind the first one, or before it where that is negative.
    [[nodiscard]] Bits get(int64_t offset) const;
    [[nodiscard]] std::string text() const;  // "f32[2, 3]"

private:
    DType elem_;
    PerAxis shape_, strides_;
    const uint8_t* data_;
    int64_t phase_;  // of packed elements: so many stand in the first bytes before the first one
};

// A dense tensor of the runtime that is being made.
class NewTensor {
public:
    NewTensor(const TsrHostApi& api, DType elem, const PerAxis& shape);
    NewTensor(const NewTensor&) = delete;
    NewTensor& operator=(const NewTensor&) = delete;
    ~NewTensor();

    [[nodiscard]] const PerAxis& strides() const { return strides_; }
    void set(int64_t offset, Bits value);
    [[nodiscard]] Bits get(int64_t offset) const { return TensorView(*tensor_).get(offset); }
    // Gives the reference away.
    TsrSlot release();

private:
    const TsrHostApi& api_;
    DType elem_;
    TsrTensor* tensor_;
    PerAxis strides_;
};

// The indices of a shape in row-major order. Of each tensor that is gone through, given by its strides along these
// axes, it knows where the element at the index is.
class IndexMaps {
public:
    IndexMaps(PerAxis shape, std::vector<PerAxis> strides);

    [[nodiscard]] bool done() const { return left_ == 0; }
    void next();
    [[nodiscard]] int64_t offset(size_t tensor) const { return offsets_[tensor]; }

private:
    PerAxis shape_, index_;
    std::vector<PerAxis> strides_;
    std::vector<int64_t> offsets_;
    int64_t left_ = 1;
};

}  // namespace tsr::ir::eval::graph
