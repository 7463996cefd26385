// Memory of a GPU, kept for later when it is freed.
#pragma once

#include "runtime/device/cuda/device.h"

namespace tsr::runtime::cuda {

// Aligned to 256 bytes, for use in the order of launches. Fails with what was asked and what is free; memory kept for
// later is given back first.
Pointer allocate(Device& device, int64_t bytes, const TsrPlace* place);
// Launches made so far may still use it.
void free(Device& device, Pointer memory, int64_t bytes);

}  // namespace tsr::runtime::cuda
