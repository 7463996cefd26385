// User errors are values: a result holds what was asked for or the message that says why there is none.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace tsr {

struct Failure {
    std::string message;
};

template <typename T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::move(value)) {}
    Result(Failure failure) : state_(std::move(failure)) {}

    [[nodiscard]] bool ok() const { return state_.index() == 0; }
    explicit operator bool() const { return ok(); }

    [[nodiscard]] const T& value() const& { return std::get<0>(state_); }
    [[nodiscard]] T& value() & { return std::get<0>(state_); }
    [[nodiscard]] T&& value() && { return std::get<0>(std::move(state_)); }
    [[nodiscard]] const std::string& message() const { return std::get<1>(state_).message; }

private:
    std::variant<T, Failure> state_;
};

}  // namespace tsr
