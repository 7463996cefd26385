// What the tests of the runtime share.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "runtime/abi.h"
#include "runtime/tensor/tensor.h"

namespace tsr::runtime::tests {

// The message with which `action` fails; empty when it does not.
template <typename Action>
std::string failure(Action action) {
    struct Thrown {
        std::string message;
    };
    tsr_set_failure_handler([](void*, const TsrPlace*, const char* message) { throw Thrown{message}; }, nullptr);
    std::string message;
    try {
        action();
    } catch (const Thrown& thrown) {
        message = thrown.message;
    }
    tsr_set_failure_handler(nullptr, nullptr);
    return message;
}

// f64[n] or f32[…] and so on from numbers.
inline TensorRef tensor(int32_t dtype, std::vector<int64_t> shape, const std::vector<double>& values) {
    TensorRef result = make_tensor(dtype, shape, Contents::zero, nullptr);
    TensorRef flat(tsr_empty(TSR_F64, shape.data(), static_cast<int32_t>(shape.size()), nullptr));
    for (size_t i = 0; i < values.size(); ++i) static_cast<double*>(flat->dl.data)[i] = values[i];
    return TensorRef(tsr_cast(flat.get(), dtype, TSR_ROUND_NEAREST, nullptr, nullptr));
}

inline TensorRef counting(int32_t dtype, std::vector<int64_t> shape) {
    int64_t count = 1;
    for (int64_t extent : shape) count *= extent;
    std::vector<double> values;
    for (int64_t i = 0; i < count; ++i) values.push_back(static_cast<double>(i));
    return tensor(dtype, std::move(shape), values);
}

// All elements in row-major order.
inline std::vector<double> values(const TsrTensor& t) {
    TensorRef wide(tsr_cast(&t, TSR_F64, TSR_ROUND_NEAREST, nullptr, nullptr));
    const auto* data = static_cast<const double*>(wide->dl.data);
    return {data, data + size(t)};
}

inline std::string taken(TsrString* string) {
    std::string result(string->text, static_cast<size_t>(string->length));
    tsr_string_release(string);
    return result;
}

// A small generator of repeatable numbers (Knuth's MMIX constants).
class Dice {
public:
    explicit Dice(uint64_t seed) : state_(seed) {}
    uint64_t bits() {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return state_ ^ state_ >> 29;
    }
    int64_t below(int64_t limit) { return static_cast<int64_t>((bits() >> 16) % static_cast<uint64_t>(limit)); }

private:
    uint64_t state_;
};

}  // namespace tsr::runtime::tests
