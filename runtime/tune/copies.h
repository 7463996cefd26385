// Copies of the tensors that a kernel writes, so that it can be run to be measured.
#pragma once

#include <span>
#include <vector>

#include "runtime/abi.h"
#include "runtime/tensor/tensor.h"

namespace tsr::runtime {

class Copies {
public:
    // `slots` of the kernel and the tensors among them.
    Copies(const TsrKernelFamily& family, std::span<const uint64_t> slots, TsrTensor* const* tensors);
    Copies(const Copies&) = delete;
    Copies& operator=(const Copies&) = delete;

    // False where the system has no such memory.
    bool complete() const { return complete_; }
    // Brings the tensors' contents back into the copies, on the processor or on the GPU.
    void restore(bool on_device, const TsrPlace* place);
    // The kernel's slots and tensors, with the copies in place of those that it writes.
    std::vector<uint64_t>& slots() { return slots_; }
    TsrTensor* const* tensors() const { return tensors_.data(); }

private:
    struct Copy {
        const TsrTensor* original;
        TensorRef copy;
    };
    std::vector<uint64_t> slots_;
    std::vector<TsrTensor*> tensors_;
    std::vector<Copy> copies_;
    bool complete_ = true;
};

}  // namespace tsr::runtime
