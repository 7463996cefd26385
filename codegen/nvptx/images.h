// The code for GPUs in an executable: PTX and cubins as data, with tables that tell the runtime of them.
#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "base/sources.h"
#include "codegen/codegen.h"
#include "codegen/llvm/data.h"
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

// The linker's name of a variant's TsrCudaKernel.
std::string cuda_table_name(const KernelFamily& family, size_t variant);
// All of it as an object file.
Result<std::string> compile_gpu_object(const Program& program, const Sources& sources, const Options& options);

// Defines those of all variants for GPUs.
void define_cuda_tables(Data& data, const Program& program, const GpuImages& images);

}  // namespace tsr::codegen
