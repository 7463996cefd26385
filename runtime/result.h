// A value, or a message saying why there is none: what file readers and parsers of the command line give.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace tsr::runtime {

struct Refusal {
    std::string message;
};

template <typename T>
class Result {
public:
    Result(T value) : content_(std::move(value)) {}
    Result(Refusal refusal) : content_(std::move(refusal)) {}

    explicit operator bool() const { return content_.index() == 0; }
    T& operator*() { return std::get<0>(content_); }
    const T& operator*() const { return std::get<0>(content_); }
    T* operator->() { return &std::get<0>(content_); }
    const std::string& message() const { return std::get<1>(content_).message; }
    Refusal refusal() const { return std::get<1>(content_); }

private:
    std::variant<T, Refusal> content_;
};

struct Done {};

}  // namespace tsr::runtime
