// Graph functions called from a host function, on tensors of the runtime.
#pragma once

#include "any_tensor.h"
#include "ir/core/names.h"
#include "ir/ops/record.h"
#include "ir/verify/verify.h"

namespace tsr::ir::eval::graphs {

inline const TsrHostApi& api() { return *tsr_host_api(); }

// One reference to a tensor of the runtime; elements are read and written by the runtime itself.
class HostTensor {
public:
    explicit HostTensor(TsrTensor* owned) : tensor_(owned) {}
    HostTensor(DType type, const Shape& shape)
        : HostTensor(
              api().zeros(static_cast<int32_t>(type), shape.data(), static_cast<int32_t>(shape.size()), nullptr)) {}
    HostTensor(const HostTensor&) = delete;
    HostTensor(HostTensor&& other) noexcept : tensor_(std::exchange(other.tensor_, nullptr)) {}
    HostTensor& operator=(const HostTensor&) = delete;
    ~HostTensor() { api().tensor_release(tensor_); }

    static HostTensor of(DType type, const Shape& shape, const std::vector<double>& values) {
        HostTensor made(type, shape);
        for (size_t i = 0; i < values.size(); ++i) {
            uint64_t wide = 0;
            std::memcpy(&wide, &values[i], 8);
            made.set(static_cast<int64_t>(i), cast_scalar(DType::f64, type, wide));
        }
        return made;
    }
    static HostTensor at_random(DType type, const Shape& shape, uint64_t seed, int64_t limit = 0) {
        AnyTensor values(type, shape);
        values.randomize(seed, limit);
        HostTensor made(type, shape);
        for (int64_t i = 0; i < made.elements(); ++i) made.set(i, values.get(i));
        return made;
    }

    [[nodiscard]] TsrTensor* get() const { return tensor_; }
    [[nodiscard]] TsrSlot slot() const {
        TsrSlot made{};
        made.tensor = tensor_;
        return made;
    }
    [[nodiscard]] DType type() const { return static_cast<DType>(tensor_->dtype); }
    [[nodiscard]] Shape shape() const { return {tensor_->shape, tensor_->shape + tensor_->dl.ndim}; }
    [[nodiscard]] int64_t elements() const { return count(shape()); }
    [[nodiscard]] Bits at(const Shape& position) const {
        return canonical(type(), api().get(tensor_, position.data(), static_cast<int32_t>(position.size()), nullptr));
    }
    [[nodiscard]] Bits at(int64_t element) const { return at(position_of(shape(), element)); }
    void set(int64_t element, Bits value) {
        const Shape position = position_of(shape(), element);
        api().set(tensor_, position.data(), static_cast<int32_t>(position.size()), value, nullptr);
    }
    [[nodiscard]] std::vector<double> values() const {
        std::vector<double> all;
        for (int64_t i = 0; i < elements(); ++i) {
            all.push_back(api().bits_to_f64(at(i), static_cast<int32_t>(type())));
        }
        return all;
    }

private:
    TsrTensor* tensor_;
};

inline TsrSlot slot(int64_t value) {
    TsrSlot made{};
    made.integer = value;
    return made;
}
inline TsrSlot slot(double value, DType type) {
    uint64_t wide = 0;
    std::memcpy(&wide, &value, 8);
    TsrSlot made{};
    made.bits = cast_scalar(DType::f64, type, wide);
    return made;
}

inline ProgramOutcome run_checked(const std::string& text, const std::vector<TsrSlot>& arguments,
                                  const EvalOptions& options = {}) {
    const Module module = module_of(text);
    for (const std::string& fault : verify(module)) FAIL(fault << "\n" << text);
    return run_program(module, "main", arguments, api(), options);
}

// The only result of `main`, a tensor.
inline HostTensor tensor_from(const std::string& text, const std::vector<TsrSlot>& arguments) {
    const ProgramOutcome outcome = run_checked(text, arguments);
    REQUIRE_MESSAGE(outcome.clean(), why(outcome) << "\n" << text);
    REQUIRE(outcome.results.size() == 1);
    HostTensor result(outcome.results[0].tensor);
    CHECK(api().is_dense(result.get()) == 1);
    CHECK(result.get()->refs == 1);
    return result;
}
inline Bits bits_from(const std::string& text, const std::vector<TsrSlot>& arguments) {
    const ProgramOutcome outcome = run_checked(text, arguments);
    REQUIRE_MESSAGE(outcome.clean(), why(outcome) << "\n" << text);
    REQUIRE(outcome.results.size() == 1);
    return outcome.results[0].bits;
}

// A graph of these parameters and this result, and a `main` of the same that calls it. `operands`: "%x, %y".
inline std::string called(const std::string& symbols, const std::string& params, const std::string& operands,
                          const std::string& result, const std::string& body) {
    const std::string head = symbols + "(" + params + ") -> " + result + " {\n";
    return "graph @f" + head + body + "}\nhost @main" + head + "  %r = call " + operands +
           " {callee = \"f\"} : " + result + "\n  yield %r\n}\n";
}

}  // namespace tsr::ir::eval::graphs
