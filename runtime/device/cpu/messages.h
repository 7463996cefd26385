// Lines printed and assertions failed by the kernels of one launch, in the order of groups.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/abi.h"

namespace tsr::runtime {

class Messages {
public:
    explicit Messages(const TsrKernelFamily& kernel) : kernel_(kernel) {}

    void print(const TsrMessage& message, const uint64_t* values, int64_t group);
    void assertion(const TsrMessage& message, const uint64_t* values, int64_t group);
    // So many lines were printed that nobody has.
    void lose(uint64_t lines) { dropped_ += lines; }
    bool failed() const { return failed_.load(std::memory_order_relaxed); }
    // Writes the lines to stderr; ends the program when an assertion failed.
    void deliver();

private:
    struct Line {
        int64_t group;
        std::string text;
    };
    // What a runaway kernel may print; the rest is counted.
    static constexpr size_t kMostLines = 100'000;

    const TsrKernelFamily& kernel_;
    std::mutex mutex_;
    std::vector<Line> lines_;
    uint64_t dropped_ = 0;
    std::atomic<bool> failed_{false};
    int64_t failed_group_ = 0;
    TsrPlace failed_place_{};
    std::string failure_;
};

}  // namespace tsr::runtime
