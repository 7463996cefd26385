// The tables that the runtime reads: kernel families and the program.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <llvm/IR/Function.h>

#include "codegen/codegen.h"
#include "codegen/cpu/machine.h"
#include "codegen/host/host.h"
#include "codegen/llvm/data.h"

namespace tsr::codegen {

// The linker's names of a variant's entry and of those that fill its packed operands, in this order.
using EntryNames = std::vector<std::string>;
// Those of a variant that is named by its kernel.
EntryNames entry_names(const KernelFamily& family, size_t variant);
using Entries = std::map<const KernelVariant*, EntryNames>;

// What the processor must have (TSR_CPU_…) to run code for a machine.
uint64_t features_of(const Processor& machine);

// Defines the TsrKernelFamily of each kernel and the TsrTuning of each tuned one, under the names that `names` has.
// Entries, and the tables of code for GPUs, are declared where this module does not define them. Without `with_gpus`
// variants for GPUs are left out.
void define_kernel_tables(Data& data, const Program& program, const Entries& entries, HostNames& names, bool with_gpus);

// void run(void* context, const TsrSlot* in, TsrSlot* out): `callee`, which `source` describes, on slots.
llvm::Function* emit_run(Data& data, const ir::Function& source, llvm::Function* callee, const Processor& machine);
// void initialize(void* context), or null where nothing runs before main.
llvm::Constant* emit_initialize(Data& data, const Program& program, HostNames& names, const Processor& machine);
// const TsrResult*
llvm::Constant* results_of(Data& data, const ir::Function& source, const std::vector<std::string>& names);

// Defines what `program.exports` names, for Python too if it is `for_python`, and `program.last_error`.
void emit_exports(Data& data, const Program& program, HostNames& names, const Processor& machine);

// Defines `tsr_program`.
void emit_program_table(Data& data, const Program& program, HostNames& names, const Processor& machine);

}  // namespace tsr::codegen
