// The tables that tell the runtime of code for GPUs, with that code as data.
#pragma once

#include <string>

#include "base/result.h"
#include "base/sources.h"
#include "codegen/codegen.h"
#include "codegen/llvm/data.h"
#include "codegen/nvptx/images.h"

namespace tsr::codegen {

// The linker's name of a variant's TsrCudaKernel.
std::string cuda_table_name(const KernelFamily& family, size_t variant);

// Defines those of all variants for GPUs.
void define_cuda_tables(Data& data, const Program& program, const GpuImages& images);

// The code of all variants for GPUs and their tables, as an object file.
Result<std::string> compile_gpu_object(const Program& program, const Sources& sources, const Options& options);

}  // namespace tsr::codegen
