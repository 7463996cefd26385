// From an LLVM module of one kernel to PTX.
#pragma once

#include <memory>
#include <string>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "base/result.h"
#include "codegen/nvptx/gpu.h"

namespace tsr::codegen {

Result<std::unique_ptr<llvm::TargetMachine>> make_gpu_machine(const Gpu& gpu, int level);

// `level` is that of -O; the code of every level is optimized: unoptimized PTX is slower than what people debug with.
void optimize_for_gpu(llvm::Module& module, llvm::TargetMachine& target, int level);

Result<std::string> emit_ptx(llvm::Module& module, llvm::TargetMachine& target);

}  // namespace tsr::codegen
