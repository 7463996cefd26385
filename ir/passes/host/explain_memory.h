// The tensors that a Host function makes, for people: `--explain=memory`.
#pragma once

#include <string>
#include <vector>

#include "base/sources.h"
#include "ir/core/function.h"

namespace tsr::ir {

// Of a function behind `place_ownership`: each tensor that it makes with its bytes as a formula of the function's
// dimensions and its life in lines of the program, and the most bytes that are there at once. Arguments are the
// caller's, and taken to be dense: what is not is copied first.
std::string explain_memory(const Function& host, const Sources& sources);
// Of the same: the bytes that are there behind each tensor that is made, those of them that some choice of the
// dimensions makes the greatest, and those of all tensors.
struct MemorySums {
    std::vector<Dim> at_once, most;
    Dim all;
};
MemorySums memory_sums(const Function& host, const Sources& sources);

}  // namespace tsr::ir
