// What the code of a program costs, at its lines: which operators are one kernel, their operations and bytes, what
// limits them on a GPU, what derivatives keep, where values are rounded, what a kernel takes of a multiprocessor.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/core/function.h"
#include "lsp/analysis.h"

namespace tsr::lsp {

// A kernel that operators became.
struct KernelCost {
    std::string function;      // whose it is: "f", "grad(f)"
    std::string kernel;        // "f.0"
    std::set<uint32_t> lines;  // of the root's text, from 0; not empty
    std::string operations;    // a formula of the function's dimensions
    std::string bytes;         // that it reads and writes
    std::string kept;          // of them those that later kernels of the function read; empty: none
    std::string intensity;     // "5.12 operations for a byte where each dimension is 1024"; empty: not known
    std::string limit;         // "memory limits it to 9 % of the arithmetic of sm_90a"; empty: not known
};

// What the kernels of a derivative keep for each other, told at the line that asks for it.
struct DerivativeCost {
    std::string function;  // "grad(f)"
    uint32_t line = 0;
    size_t kernels = 0;
    std::string kept;  // "4*n B"; "0 B"
};

// A value that is computed in one type and kept in a narrower one.
struct Rounding {
    uint32_t line = 0;
    std::string from, to;  // "f32", "bf16"
    auto operator<=>(const Rounding&) const = default;
};

class Costs {
public:
    // Of a program without mistakes; of another one nothing is known. `target`: the GPU whose limits count.
    Costs(const Analysis& analysis, const std::string& target);

    [[nodiscard]] const std::vector<KernelCost>& kernels() const { return kernels_; }
    [[nodiscard]] const std::vector<DerivativeCost>& derivatives() const { return derivatives_; }
    // How many values, by what is done with them.
    [[nodiscard]] const std::map<Rounding, size_t>& roundings() const { return roundings_; }
    // "256 threads a block, 49152 B of shared memory, …", or why it has no code there; empty where there is no such
    // kernel.
    const std::string& resources(const std::string& kernel, const std::string& target);

private:
    void find_roundings(const Analysis& analysis);
    std::string resources_of(const std::string& kernel, const std::string& target);

    ir::Module module_;             // its kernels as they were written, and those of its graphs
    bool kernels_lowered_ = false;  // to group form
    std::vector<KernelCost> kernels_;
    std::map<std::string, std::string> shared_;  // what does the kernels of kernels_: the first with the same code
    std::vector<DerivativeCost> derivatives_;
    std::map<Rounding, size_t> roundings_;
    std::map<std::pair<std::string, std::string>, std::string> resources_;  // by kernel and target
};

// "one kernel with lines 3 and 5: 41*n operations, 8*n B", said at line `at`.
std::string told_at(const KernelCost& cost, uint32_t at);

// "grad(f): 3 kernels, which keep 4*n B for each other".
std::string told(const DerivativeCost& cost);

// "rounds f32 to bf16", "rounds f32 to bf16 twice".
std::string told(const Rounding& rounding, size_t times);

}  // namespace tsr::lsp
