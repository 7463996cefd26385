// Launches on the GPU.
#pragma once

#include <optional>

#include "runtime/abi.h"
#include "runtime/device/cuda/device.h"

namespace tsr::runtime::cuda {

// A kernel with its arguments.
struct Call {
    const TsrKernelFamily& family;
    const uint64_t* slots;
    TsrTensor* const* tensors;
    int64_t total;
    const TsrPlace* place;
};

// Whether there is a device that runs the kernel with a tensor as this one, if memory lasts.
bool runs(const TsrKernelFamily& family, const TsrTensor& tensor);
// The variant that the device takes of this call, if there is one and a device; its tensors then have copies there.
const TsrKernelVariant* fitting_variant(const Call& call);
// The same; fails where code for GPUs is there and TESSERA_DEVICE asks for one, but none of it runs.
const TsrKernelVariant* find_variant(const Call& call);
// Brings the tensors in and launches; a `result` is waited for.
void run_variant(const Call& call, const TsrKernelVariant& variant, uint64_t* result);
// The seconds that it takes; what it prints is not told.
double measure_variant(const Call& call, const TsrKernelVariant& variant);

}  // namespace tsr::runtime::cuda
