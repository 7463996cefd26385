// How the groups of a launch are spread over blocks.
#pragma once

#include "runtime/abi/boxes.h"
#include "runtime/device/cuda/device.h"

namespace tsr::runtime::cuda {

struct Spread {
    int64_t blocks;  // with fewer than there are groups blocks take them in turn
    int64_t cluster;
};

bool takes_groups_in_turn(const TsrCudaKernel& kernel);

// As many blocks as run at once, where they take groups in turn. A launch that is done with each block's first group
// has no clusters then: blocks would wait for each other and save little.
Spread spread_of(const Device& device, Function function, const TsrCudaKernel& kernel, int64_t groups);

// Of a launch.
LaunchAttribute clusters_of(int64_t blocks);

}  // namespace tsr::runtime::cuda
