// The tensors that a Host function makes, for people: `--explain=memory`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/sources.h"
#include "ir/core/function.h"

namespace tsr::ir {

// Of a function behind `place_ownership`: each tensor that it makes with its bytes as a formula of the function's
// dimensions and its life in lines of the program, and the most bytes that are there at once. Arguments are the
// caller's, and taken to be dense: what is not is copied first.
std::string explain_memory(const Function& host, const Sources& sources);
// Of the same: the bytes that are there at once where they are most, each of which some choice of the dimensions may
// make the greatest, and those of all tensors together.
struct MemorySums {
    std::vector<Dim> most;
    Dim all;
};
MemorySums memory_sums(const Function& host, const Sources& sources);
// "8*n or 4*h*n + 8": the greatest of these.
std::string greatest_text(const std::vector<Dim>& most);
// Of the same, where `bytes` gives the number of bytes of each tensor: those that are there behind each tensor that is
// made, and those of all together. Nothing where it knows one not.
struct MemoryNumbers {
    std::vector<int64_t> at_once;
    int64_t all = 0;
};
std::optional<MemoryNumbers> memory_numbers(const Function& host, const Sources& sources,
                                            const std::function<std::optional<int64_t>(const Dim&)>& bytes);

}  // namespace tsr::ir
