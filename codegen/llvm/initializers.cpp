#include "codegen/llvm/initializers.h"

#include <mutex>
#include <system_error>
#include <thread>

#include <llvm/Support/TargetSelect.h>

#include "base/late_initializers.h"
#include "codegen/codegen.h"

extern "C" {
[[gnu::weak]] extern const tsr::Initializer tsr_llvm_initializers_begin[];
[[gnu::weak]] extern const tsr::Initializer tsr_llvm_initializers_end[];
}

namespace tsr::codegen {

void initialize_llvm() {
    static std::once_flag once;
    std::call_once(once, [] {
        run_initializers(tsr_llvm_initializers_begin, tsr_llvm_initializers_end);
        // All of them before any is looked up: LLVM's table may not grow while another thread reads it.
        LLVMInitializeX86TargetInfo();
        LLVMInitializeX86Target();
        LLVMInitializeX86TargetMC();
        LLVMInitializeX86AsmPrinter();
        LLVMInitializeX86AsmParser();
        LLVMInitializeNVPTXTargetInfo();
        LLVMInitializeNVPTXTarget();
        LLVMInitializeNVPTXTargetMC();
        LLVMInitializeNVPTXAsmPrinter();
    });
}

void prepare() {
    try {
        static std::jthread ahead(initialize_llvm);
    } catch (const std::system_error&) {
        return;  // no thread to be had: it is done later
    }
}

}  // namespace tsr::codegen
