// Runs kernels given as IR text.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ir/eval/evaluate.h"
#include "ir/text/parse_text.h"

namespace tsr::ir::eval {

inline Module module_of(const std::string& text) {
    auto parsed = parse_text(text);
    REQUIRE_MESSAGE(parsed.ok(), (parsed.ok() ? "" : parsed.message()));
    return std::move(parsed).value();
}

template <typename T>
struct TypeOf;
template <>
struct TypeOf<float> {
    static constexpr DType value = DType::f32;
};
template <>
struct TypeOf<double> {
    static constexpr DType value = DType::f64;
};
template <>
struct TypeOf<int32_t> {
    static constexpr DType value = DType::i32;
};
template <>
struct TypeOf<uint32_t> {
    static constexpr DType value = DType::u32;
};
template <>
struct TypeOf<int64_t> {
    static constexpr DType value = DType::index;
};

template <typename T>
KernelArgument tensor(std::vector<T>& data, std::vector<int64_t> shape = {}) {
    if (shape.empty()) shape = {static_cast<int64_t>(data.size())};
    return TensorRef{data.data(), TypeOf<T>::value, std::move(shape)};
}

template <typename T>
KernelArgument scalar(T value) {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return ScalarValue{TypeOf<T>::value, bits};
}

inline LaunchSize groups(int64_t count) { return {{count, 1, 1}, count}; }
inline LaunchSize tiles(int64_t count) { return {{1, 1, 1}, count}; }

inline KernelOutcome run(const std::string& text, const std::vector<KernelArgument>& arguments, const LaunchSize& size,
                         const EvalOptions& options = {}) {
    const Module module = module_of(text);
    return run_kernel(module.functions.front(), arguments, size, options);
}

inline std::string why(const Outcome& outcome) {
    std::string text = outcome.failure ? outcome.failure->message : "";
    for (const Report& report : outcome.reports) text += "\n" + report.message + " / " + report.other_text;
    return text;
}

inline EvalOptions sanitize(Sanitizers which) {
    EvalOptions options;
    options.sanitizers = which;
    return options;
}
inline constexpr Sanitizers kRace{true, false, false};
inline constexpr Sanitizers kBounds{false, true, false};
inline constexpr Sanitizers kNan{false, false, true};

}  // namespace tsr::ir::eval
