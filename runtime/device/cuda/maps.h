// Tensors as the copies of boxes of kernels see them: maps that the driver makes, parameters of launches.
#pragma once

#include <optional>
#include <vector>

#include "runtime/abi.h"
#include "runtime/abi/boxes.h"
#include "runtime/device/cuda/device.h"

namespace tsr::runtime::cuda {

// CUtensorMap.
struct alignas(64) TensorMap {
    unsigned char bytes[128];
};

// The maps that a kernel has for parameters, of the launch's tensors, which stand at the addresses in `slots`. Nothing
// where one of them can not be made: the kernel does not take these tensors.
std::optional<std::vector<TensorMap>> make_maps(const Device& device, const TsrCudaKernel& kernel,
                                                TsrTensor* const* tensors, const uint64_t* slots);

}  // namespace tsr::runtime::cuda
