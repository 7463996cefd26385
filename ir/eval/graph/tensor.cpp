#include "ir/eval/graph/tensor.h"

#include <cstring>

#include <fmt/format.h>

#include "ir/eval/lane_ops.h"
#include "ir/eval/packed.h"

namespace tsr::ir::eval::graph {

namespace {

int64_t rounded_down(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

}  // namespace

TensorView::TensorView(const TsrTensor& tensor)
    : elem_(static_cast<DType>(tensor.dtype)),
      shape_(tensor.dl.shape, tensor.dl.shape + tensor.dl.ndim),
      strides_(tensor.dl.strides, tensor.dl.strides + tensor.dl.ndim),
      data_(static_cast<const uint8_t*>(tensor.dl.data)),
      phase_(tensor.phase) {}

Bits TensorView::get(int64_t offset) const {
    if (is_packed(elem_)) {
        // Whole packs are whole bytes, before the first element too.
        const int64_t position = phase_ + offset;
        const int64_t packs = rounded_down(position, pack_size(elem_));
        const uint8_t* at = data_ + packs * pack_size(elem_) * bits(elem_) / 8;
        return canonical(elem_, load_packed(elem_, at, position - packs * pack_size(elem_)));
    }
    const size_t size = stored_size(elem_);
    uint64_t raw = 0;
    std::memcpy(&raw, data_ + offset * static_cast<int64_t>(size), size);
    return canonical(elem_, raw);
}

std::string TensorView::text() const { return fmt::format("{}[{}]", tsr::name(elem_), fmt::join(shape_, ", ")); }

NewTensor::NewTensor(const TsrHostApi& api, DType elem, const PerAxis& shape)
    : api_(api),
      elem_(elem),
      tensor_(api.empty(static_cast<int32_t>(elem), shape.data(), static_cast<int32_t>(shape.size()), nullptr)),
      strides_(tensor_->dl.strides, tensor_->dl.strides + tensor_->dl.ndim) {}

NewTensor::~NewTensor() {
    if (tensor_ != nullptr) api_.tensor_release(tensor_);
}

void NewTensor::set(int64_t offset, Bits value) {
    auto* data = static_cast<uint8_t*>(tensor_->dl.data);
    if (is_packed(elem_)) return store_packed(elem_, data, offset, static_cast<uint8_t>(value));
    const size_t size = stored_size(elem_);
    std::memcpy(data + offset * static_cast<int64_t>(size), &value, size);
}

TsrSlot NewTensor::release() {
    TsrSlot slot{};
    slot.tensor = tensor_;
    tensor_ = nullptr;
    return slot;
}

IndexMaps::IndexMaps(PerAxis shape, std::vector<PerAxis> strides)
    : shape_(std::move(shape)), index_(shape_.size(), 0), strides_(std::move(strides)), offsets_(strides_.size(), 0) {
    for (const int64_t extent : shape_) left_ *= extent;
}

void IndexMaps::next() {
    --left_;
    for (size_t axis = shape_.size(); axis-- > 0;) {
        const bool over = ++index_[axis] == shape_[axis];
        const int64_t steps = over ? 1 - shape_[axis] : 1;
        for (size_t tensor = 0; tensor < offsets_.size(); ++tensor) offsets_[tensor] += steps * strides_[tensor][axis];
        if (!over) return;
        index_[axis] = 0;
    }
}

}  // namespace tsr::ir::eval::graph
