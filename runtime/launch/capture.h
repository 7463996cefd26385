// Calls whose launches are recorded and replayed as CUDA graphs: `@jit(capture_graph=True)`.
#pragma once

#include <vector>

#include "runtime/abi.h"
#include "runtime/device/cuda/device.h"
#include "runtime/device/cuda/maps.h"
#include "runtime/launch/on_gpu.h"

namespace tsr::runtime::cuda {

// A launch as the driver takes it.
struct GridLaunch {
    Function function;
    int64_t blocks;
    int64_t cluster;
    const TsrCudaKernel* kernel;
    std::vector<uint64_t> slots;  // all of the entry's parameters but the maps
    std::vector<TensorMap> maps;
};
Status launch_grid(const Device& device, GridLaunch& launch);

// The launches of one kernel call, which were made while calls are recorded.
void record(const Call& call, std::vector<GridLaunch> made);

}  // namespace tsr::runtime::cuda
