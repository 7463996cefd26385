#include "ir/eval/one_tile/memory.h"

#include <algorithm>
#include <cstring>

#include "ir/eval/lane_ops.h"
#include "ir/eval/packed.h"

namespace tsr::ir::eval::one_tile {

Memory Memory::of_tensor(std::string name, const TensorRef& tensor) {
    Memory made;
    made.name_ = std::move(name);
    made.elem_ = tensor.elem;
    made.shape_ = tensor.shape;
    static uint8_t nothing = 0;  // of an empty tensor
    made.data_ = tensor.data != nullptr ? static_cast<uint8_t*>(tensor.data) : &nothing;
    for (int64_t extent : tensor.shape) made.elements_ *= extent;
    made.row_ = tensor.shape.empty() ? 1 : tensor.shape.back();
    if (tsr::is_packed(made.elem_)) {
        const int64_t pack = pack_size(made.elem_);
        made.row_ = (made.row_ + pack - 1) / pack * pack;
    }
    return made;
}

Memory Memory::of_buffer(std::string name, DType elem, std::vector<int64_t> shape, int64_t stages) {
    Memory made;
    made.name_ = std::move(name);
    made.elem_ = elem;
    made.shape_ = std::move(shape);
    made.stages_ = stages;
    for (int64_t extent : made.shape_) made.elements_ *= extent;
    made.row_ = made.shape_.empty() ? 1 : made.shape_.back();
    made.held_.resize(static_cast<size_t>(made.elements_ * stages));
    made.forget();
    return made;
}

bool Memory::is_packed() const { return !is_buffer() && tsr::is_packed(elem_); }

void Memory::forget() { std::ranges::fill(held_, canonical(elem_, ~uint64_t{0})); }

std::optional<int64_t> Memory::find(std::span<const int64_t> index, size_t width) const {
    int64_t at = 0;
    for (size_t k = 0; k < shape_.size(); ++k) {
        const bool last = k + 1 == shape_.size();
        const int64_t end = shape_[k] - (last ? static_cast<int64_t>(width) - 1 : 0);
        if (index[k] < 0 || index[k] >= end) return std::nullopt;
        at = at * (last ? row_ : shape_[k]) + index[k];
    }
    return at;
}

Bits Memory::get(int64_t stage, int64_t position) const {
    if (is_buffer()) return held_[static_cast<size_t>(stage * elements_ + position)];
    if (is_packed()) return canonical(elem_, load_packed(elem_, data_, position));
    uint64_t raw = 0;
    const size_t size = stored_size(elem_);
    std::memcpy(&raw, data_ + static_cast<size_t>(position) * size, size);
    return canonical(elem_, raw);
}

void Memory::set(int64_t stage, int64_t position, Bits value) {
    if (is_buffer()) {
        held_[static_cast<size_t>(stage * elements_ + position)] = value;
        return;
    }
    if (is_packed()) return store_packed(elem_, data_, position, static_cast<uint8_t>(value));
    const size_t size = stored_size(elem_);
    std::memcpy(data_ + static_cast<size_t>(position) * size, &value, size);
}

}  // namespace tsr::ir::eval::one_tile
