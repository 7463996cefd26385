// An LLVM module of a program's code on its way to an object file or a text.
#pragma once

#include <memory>
#include <string>

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "base/result.h"
#include "base/sources.h"
#include "codegen/codegen.h"
#include "codegen/cpu/machine.h"
#include "codegen/host/host.h"
#include "codegen/llvm/data.h"
#include "codegen/llvm/debug.h"
#include "codegen/program/tables.h"

namespace tsr::codegen {

// How much is done for the speed of code. `brief`: for long functions whose time is that of what they launch; the time
// that LLVM takes grows faster than such a function.
enum class Effort : uint8_t { full, brief };

class CodeModule {
public:
    // `first`: a place in the file that debuggers are told the code is of.
    CodeModule(const std::string& name, const Sources& sources, const Options& options, Span first,
               Effort effort = Effort::full);

    // Why nothing can be made here; empty: nothing is wrong.
    [[nodiscard]] const std::string& fault() const { return fault_; }
    Data& data() { return data_; }
    llvm::Module& module() { return module_; }

    void emit_task(const KernelVariant& variant, const EntryNames& names, const Processor& machine);
    void emit_host(const ir::Function& function, HostNames& names, const Processor& machine);

    // A failure leaves a call of a library as an exception of the runtime: through all functions emitted so far.
    void let_failures_pass();

    // Ends the module: nothing is emitted into it any more.
    void close();
    // Of a closed module: a digest of all that its code follows from. The names of its functions are part of it.
    std::string digest();
    // The code of a closed module.
    Result<std::string> code();

private:
    // Of -O, for the passes and for the emission.
    struct Levels {
        int passes = 0;
        int emission = 0;
    };

    const Options& options_;
    Levels levels_;
    std::string errors_;  // LLVM's
    llvm::LLVMContext context_;
    llvm::Module module_;
    Data data_;
    std::unique_ptr<DebugInfo> debug_;
    std::unique_ptr<llvm::TargetMachine> target_;
    std::string fault_;
};

}  // namespace tsr::codegen
