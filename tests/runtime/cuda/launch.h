// Launches that the tests share.
#pragma once

#include "../helpers.h"
#include "kernels.h"
#include "runtime/device/cuda/device.h"

namespace tsr::runtime::tests {

inline uint64_t slot_of(const TensorRef& tensor) { return reinterpret_cast<uint64_t>(tensor->dl.data); }

inline void launch_saxpy(const TsrKernelFamily& family, const TensorRef& x, const TensorRef& y, uint64_t alpha) {
    static const TsrPlace place{"main.tsr", 7, 5};
    const auto n = static_cast<uint64_t>(size(*x));
    const uint64_t slots[] = {slot_of(x), slot_of(y), alpha, n};
    TsrTensor* const tensors[] = {x.get(), y.get()};
    tsr_launch(&family, slots, tensors, size(*x), nullptr, &place);
}

}  // namespace tsr::runtime::tests
