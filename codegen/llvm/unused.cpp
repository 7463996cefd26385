// What LLD and LLVM ask for by name but is not used here, as functions that do nothing, so that a compiler that carries
// LLVM's archives does not carry it: LLD readies every target that LLVM was built with, for optimization at link time,
// and LLVM's own pipeline for that asks for its extension Polly.
#include <llvm/Plugins/PassPlugin.h>

// The targets that are used: a pasted name is looked up as a macro again.
#define LLVMInitializeX86TargetInfo tsr_unused_x86_target_info
#define LLVMInitializeX86Target tsr_unused_x86_target
#define LLVMInitializeX86TargetMC tsr_unused_x86_target_mc
#define LLVMInitializeX86AsmPrinter tsr_unused_x86_asm_printer
#define LLVMInitializeX86AsmParser tsr_unused_x86_asm_parser
#define LLVMInitializeNVPTXTargetInfo tsr_unused_nvptx_target_info
#define LLVMInitializeNVPTXTarget tsr_unused_nvptx_target
#define LLVMInitializeNVPTXTargetMC tsr_unused_nvptx_target_mc
#define LLVMInitializeNVPTXAsmPrinter tsr_unused_nvptx_asm_printer

extern "C" {

#define LLVM_TARGET(name)                      \
    void LLVMInitialize##name##TargetInfo() {} \
    void LLVMInitialize##name##Target() {}     \
    void LLVMInitialize##name##TargetMC() {}
#include <llvm/Config/Targets.def>

#define LLVM_ASM_PRINTER(name) \
    void LLVMInitialize##name##AsmPrinter() {}
#include <llvm/Config/AsmPrinters.def>

#define LLVM_ASM_PARSER(name) \
    void LLVMInitialize##name##AsmParser() {}
#include <llvm/Config/AsmParsers.def>

}  // extern "C"

llvm::PassPluginLibraryInfo getPollyPluginInfo() { return {}; }
