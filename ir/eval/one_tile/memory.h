// Memories as a kernel sees them: tensors of the caller, shared buffers of a group.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/eval/evaluate.h"
#include "ir/law/scalar.h"

namespace tsr::ir::eval::one_tile {

class Memory {
public:
    static Memory of_tensor(std::string name, const TensorRef& tensor);
    static Memory of_buffer(std::string name, DType elem, std::vector<int64_t> shape, int64_t stages);

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] DType elem() const { return elem_; }
    [[nodiscard]] const std::vector<int64_t>& shape() const { return shape_; }
    [[nodiscard]] int64_t stages() const { return stages_; }
    [[nodiscard]] int64_t elements() const { return elements_; }  // of one stage
    [[nodiscard]] bool is_buffer() const { return data_ == nullptr; }
    [[nodiscard]] bool is_packed() const;  // elements share bytes
    // The position, in the order of the memory, of the first of `width` elements along the last axis; nothing where one
    // of them is outside of the shape.
    [[nodiscard]] std::optional<int64_t> find(std::span<const int64_t> index, size_t width = 1) const;

    [[nodiscard]] Bits get(int64_t stage, int64_t position) const;
    void set(int64_t stage, int64_t position, Bits value);
    // Contents that no program may ask for: NaN, -1, true.
    void forget();

private:
    std::string name_;
    DType elem_ = DType::f32;
    std::vector<int64_t> shape_;
    int64_t stages_ = 1, elements_ = 1;
    int64_t row_ = 1;          // elements of a row, in whole bytes
    uint8_t* data_ = nullptr;  // of a tensor
    std::vector<Bits> held_;   // of a buffer
};

// A memory, or one stage of a buffer.
struct Handle {
    Memory* memory = nullptr;
    int64_t stage = 0;
    [[nodiscard]] Bits get(int64_t position) const { return memory->get(stage, position); }
    void set(int64_t position, Bits value) const { memory->set(stage, position, value); }
};

}  // namespace tsr::ir::eval::one_tile
