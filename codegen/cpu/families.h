// The tables that the runtime reads: kernel families and the program.
#pragma once

#include <vector>

#include <llvm/IR/Function.h>

#include "codegen/codegen.h"
#include "codegen/host/host.h"
#include "codegen/llvm/data.h"

namespace tsr::codegen {

// The linker's name of a variant's entry.
std::string entry_name(const KernelFamily& family, size_t variant);
// The same of what fills a packed operand.
std::string entry_name(const KernelFamily& family, size_t variant, size_t operand);

// What the processor must have (TSR_CPU_…) to run code for a machine.
uint64_t features_of(const Machine& machine);

// const TsrKernelFamily*; entries are declared where this module does not define them. `exported`: a symbol of the
// library, `tsr_kernel_NAME`.
llvm::Constant* family_table(Data& data, const KernelFamily& family, const std::vector<Machine>& machines,
                             bool exported);

// Defines `tsr_program`.
void emit_program_table(Data& data, const Program& program, const HostNames& names, const Machine& machine);

}  // namespace tsr::codegen
