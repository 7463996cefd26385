// Copies of the tensors that a kernel writes, so that it can be run to be measured.
#pragma once

#include <span>
#include <vector>

#include "runtime/tensor/storage.h"
#include "runtime/tune/abi.h"

namespace tsr::runtime {

class Copies {
public:
    // `slots` of the kernel and the tensors among them.
    Copies(const TsrKernelFamily& family, std::span<const uint64_t> slots, TsrTensor* const* tensors);
    Copies(const Copies&) = delete;
    Copies& operator=(const Copies&) = delete;
    ~Copies();

    // False where the system has no such memory.
    bool complete() const { return complete_; }
    // Brings the tensors' contents back into the copies.
    void restore();
    // The kernel's slots, with the copies in place of the tensors.
    std::vector<uint64_t>& slots() { return slots_; }

private:
    struct Copy {
        const void* original;
        TsrStorage* storage;
    };
    std::vector<uint64_t> slots_;
    std::vector<Copy> copies_;
    bool complete_ = true;
};

}  // namespace tsr::runtime
