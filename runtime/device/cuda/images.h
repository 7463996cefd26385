// Code of kernels on the device: loaded when it is first launched.
#pragma once

#include <string>

#include "runtime/device/cuda/device.h"

namespace tsr::runtime::cuda {

// Whether the device has what the kernel was compiled for.
bool fits(const Device& device, const TsrCudaKernel& kernel);

struct Loaded {
    Function function = nullptr;  // null: the driver takes none of its images
    std::string refusal;          // what it said of the last one
};
// Tried once. Whatever is no matter of the image fails.
const Loaded& load(Device& device, const TsrCudaKernel& kernel, const TsrPlace* place);

}  // namespace tsr::runtime::cuda
