// The code for GPUs in an executable: PTX and cubins.
#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "base/sources.h"
#include "codegen/codegen.h"
#include "codegen/nvptx/kernel.h"

namespace tsr::codegen {

struct GpuImage {
    DeviceCode code;
    std::string cubin;  // empty: none
};
using GpuImages = std::map<const KernelVariant*, GpuImage>;

bool has_gpu_variants(const Program& program);

// The code of all variants for GPUs, on as many threads as there are cores. The program was checked.
Result<GpuImages> make_gpu_images(const Program& program, const Sources& sources, const Options& options);

}  // namespace tsr::codegen
