// The tables that the runtime reads: kernel families and the program.
#pragma once

#include <vector>

#include <llvm/IR/Function.h>

#include "codegen/codegen.h"
#include "codegen/cpu/machine.h"
#include "codegen/host/host.h"
#include "codegen/llvm/data.h"

namespace tsr::codegen {

// The linker's name of a variant's entry.
std::string entry_name(const KernelFamily& family, size_t variant);
// The same of what fills a packed operand.
std::string entry_name(const KernelFamily& family, size_t variant, size_t operand);

// What the processor must have (TSR_CPU_…) to run code for a machine.
uint64_t features_of(const Processor& machine);

// const TsrKernelFamily*; entries and the tables of code for GPUs are declared where this module does not define them.
// `machines`: of each variant for a CPU. `exported`: a symbol of the library, `tsr_kernel_NAME`. Without `with_gpus`
// variants for GPUs are left out.
llvm::Constant* family_table(Data& data, const KernelFamily& family, const std::vector<Processor>& machines,
                             bool exported, bool with_gpus);

// const TsrTuning*; the families are those of `names`.
llvm::Constant* tuning_table(Data& data, const Tuning& tuning, const HostNames& names);

// void run(void* context, const TsrSlot* in, TsrSlot* out): `callee`, which `source` describes, on slots.
llvm::Function* emit_run(Data& data, const ir::Function& source, llvm::Function* callee, const Processor& machine);
// void initialize(void* context), or null where nothing runs before main.
llvm::Constant* emit_initialize(Data& data, const Program& program, const HostNames& names, const Processor& machine);
// const TsrResult*
llvm::Constant* results_of(Data& data, const ir::Function& source, const std::vector<std::string>& names);

// Defines what `program.exports` names, for Python too if it is `for_python`, and `program.last_error`.
void emit_exports(Data& data, const Program& program, const HostNames& names, const Processor& machine);

// Defines `tsr_program`.
void emit_program_table(Data& data, const Program& program, const HostNames& names, const Processor& machine);

}  // namespace tsr::codegen
