// From an LLVM module to code: the machine, the passes, the emission.
#pragma once

#include <memory>
#include <string>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "base/result.h"
#include "codegen/cpu/machine.h"

namespace tsr::codegen {

enum class Form { object, assembly };

// `level` is that of -O, 0 to 3. Functions name their own processor; `machine` is what holds for those that do not.
Result<std::unique_ptr<llvm::TargetMachine>> make_target_machine(const Processor& machine, int level);

// The passes for small numeric code: nothing vectorizes (that was done), nothing reassociates or contracts floats.
void optimize(llvm::Module& module, llvm::TargetMachine& target, int level);

// What must hold of every module before emission, at every level.
void prepare(llvm::Module& module);

Result<std::string> emit_code(llvm::Module& module, llvm::TargetMachine& target, Form form);

}  // namespace tsr::codegen
