// What operators on whole tensors cost, at their lines: which of them are one kernel, its operations and its bytes.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "lsp/analysis.h"

namespace tsr::lsp {

// A kernel that operators became.
struct KernelCost {
    std::string function;      // whose it is: "f", "f.grad"
    std::set<uint32_t> lines;  // of the root's text, from 0; not empty
    std::string operations;    // a formula of the function's dimensions
    std::string bytes;         // that it reads and writes
    std::string intensity;     // "5.12 operations for a byte where each dimension is 1024"; empty: not known
};

// Of a program without mistakes; of another one nothing is known.
std::vector<KernelCost> costs_of(const Analysis& analysis);

// "one kernel with lines 3 and 5: 41*n operations, 8*n B", said at line `at`.
std::string told_at(const KernelCost& cost, uint32_t at);

}  // namespace tsr::lsp
