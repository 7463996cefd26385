// Tensors of any element type, read and written bit by bit, and texts of kernels over them.
#pragma once

#include <algorithm>
#include <random>

#include <fmt/core.h>

#include "harness.h"
#include "ir/law/scalar.h"

namespace tsr::ir::eval {

using Shape = std::vector<int64_t>;

inline int64_t count(const Shape& shape) {
    int64_t all = 1;
    for (int64_t extent : shape) all *= extent;
    return all;
}

// Positions of a shape in row-major order.
inline Shape position_of(const Shape& shape, int64_t at) {
    Shape position(shape.size());
    for (size_t k = shape.size(); k-- > 0; at /= shape[k]) position[k] = at % shape[k];
    return position;
}
inline int64_t element_of(const Shape& shape, const Shape& position) {
    int64_t at = 0;
    for (size_t k = 0; k < shape.size(); ++k) at = at * shape[k] + position[k];
    return at;
}

inline std::string text(const Shape& shape) {
    std::string list;
    for (int64_t extent : shape) list += fmt::format("{}{}", list.empty() ? "" : ", ", extent);
    return "[" + list + "]";
}
inline std::string type_text(DType type, const Shape& shape) { return std::string(tsr::name(type)) + text(shape); }

// Rows of packed types are padded to whole packs (runtime/abi.h): 2 elements of 4 bits, 4 of 6 bits.
class AnyTensor {
public:
    AnyTensor(DType type, Shape shape) : type_(type), shape_(std::move(shape)) {
        width_ = type == DType::boolean ? 8 : bits(type);
        row_ = shape_.empty() ? 1 : std::max<int64_t>(shape_.back(), 1);
        const int64_t pack = width_ == 4 ? 2 : width_ == 6 ? 4 : 1;
        padded_ = (row_ + pack - 1) / pack * pack;
        bytes_.assign(static_cast<size_t>(elements() / row_ * padded_ * width_ / 8), 0);
    }

    [[nodiscard]] DType type() const { return type_; }
    [[nodiscard]] const Shape& shape() const { return shape_; }
    [[nodiscard]] int64_t elements() const { return count(shape_); }
    [[nodiscard]] Bits get(int64_t at) const {
        uint64_t raw = 0;
        for (int64_t bit = 0; bit < width_; ++bit) {
            const int64_t from = place(at) + bit;
            raw |= static_cast<uint64_t>(bytes_[static_cast<size_t>(from / 8)] >> (from % 8) & 1) << bit;
        }
        return canonical(type_, raw);
    }
    void set(int64_t at, Bits value) {
        for (int64_t bit = 0; bit < width_; ++bit) {
            const int64_t to = place(at) + bit;
            uint8_t& byte = bytes_[static_cast<size_t>(to / 8)];
            byte = static_cast<uint8_t>((byte & ~(1U << (to % 8))) | (value >> bit & 1) << (to % 8));
        }
    }
    [[nodiscard]] KernelArgument argument() { return TensorRef{bytes_.data(), type_, shape_}; }
    // Bits at random; of a float with a limit whole numbers from -limit to limit.
    AnyTensor& randomize(uint64_t seed, int64_t limit = 0) {
        std::mt19937_64 random(seed);
        for (int64_t i = 0; i < elements(); ++i) {
            const uint64_t raw = random();
            const auto whole = static_cast<int64_t>(raw % static_cast<uint64_t>(2 * limit + 1)) - limit;
            if (limit > 0 && type_ != DType::boolean)
                set(i, cast_scalar(DType::i64, type_, static_cast<Bits>(whole)));
            else
                set(i, type_ == DType::boolean ? raw & 1 : canonical(type_, raw));
        }
        return *this;
    }
    bool operator==(const AnyTensor&) const = default;

private:
    [[nodiscard]] int64_t place(int64_t at) const { return (at / row_ * padded_ + at % row_) * width_; }

    DType type_;
    Shape shape_;
    int64_t width_ = 0, row_ = 0, padded_ = 0;
    std::vector<uint8_t> bytes_;
};

inline bool is_nan(DType type, Bits value) {
    if (!is_float(type)) return false;
    const Bits wide = cast_scalar(type, DType::f64, value);
    double x = 0;
    std::memcpy(&x, &wide, 8);
    return x != x;
}
// NaN has no fixed bits; all else has.
inline bool same(DType type, Bits a, Bits b) { return a == b || (is_nan(type, a) && is_nan(type, b)); }

inline constexpr DType kEveryType[] = {
    DType::boolean, DType::i4,       DType::i8,       DType::i16,      DType::i32,      DType::i64,      DType::u8,
    DType::u16,     DType::u32,      DType::u64,      DType::index,    DType::f64,      DType::f32,      DType::f16,
    DType::bf16,    DType::fp8_e4m3, DType::fp8_e5m2, DType::fp6_e3m2, DType::fp6_e2m3, DType::fp4_e2m1, DType::e8m0};

// A kernel of one group; `params` with their parentheses. `%z` is 0.
inline std::string one_group(const std::string& params, const std::string& body) {
    return "kernel @k" + params + " group [32] {\n  %z = constant 0 : index\n" + body + "}\n";
}

// A load or store of a whole tensor from its first element on.
inline std::string load_all(const std::string& result, const std::string& memory, DType type, const Shape& shape) {
    std::string starts;
    std::string axes;
    for (size_t k = 0; k < shape.size(); ++k) {
        starts += ", %z";
        axes += fmt::format("{}{}", k == 0 ? "" : ", ", k);
    }
    return fmt::format("  {} = load_tile {}{} {{axes = [{}], shape = {}}} : tile {}\n", result, memory, starts, axes,
                       text(shape), type_text(type, shape));
}
inline std::string store_all(const std::string& memory, const std::string& value, const Shape& shape) {
    std::string starts;
    std::string axes;
    for (size_t k = 0; k < shape.size(); ++k) {
        starts += ", %z";
        axes += fmt::format("{}{}", k == 0 ? "" : ", ", k);
    }
    return fmt::format("  store_tile {}, {}{} {{axes = [{}]}}\n", memory, value, starts, axes);
}

inline EvalOptions watched() { return sanitize({true, true, false}); }

}  // namespace tsr::ir::eval
