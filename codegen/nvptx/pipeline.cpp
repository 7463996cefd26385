#include "codegen/nvptx/pipeline.h"

#include <algorithm>
#include <mutex>

#include <llvm/ADT/SmallString.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/OptBisect.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/AggressiveInstCombine/AggressiveInstCombine.h>
#include <llvm/Transforms/IPO/FunctionAttrs.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/DeadStoreElimination.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/InferAlignment.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "codegen/llvm/initializers.h"

namespace tsr::codegen {

namespace {

llvm::FunctionPassManager kernel_passes(int level) {
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    passes.addPass(llvm::EarlyCSEPass(true));
    passes.addPass(llvm::SimplifyCFGPass());
    passes.addPass(llvm::InstCombinePass());
    llvm::LoopPassManager loops;
    loops.addPass(llvm::LoopRotatePass());
    loops.addPass(llvm::LICMPass(llvm::LICMOptions()));
    passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops), true));
    passes.addPass(llvm::SimplifyCFGPass());
    // Bits that the program counts by shifts and masks are counted by one instruction.
    passes.addPass(llvm::AggressiveInstCombinePass());
    passes.addPass(llvm::GVNPass());
    llvm::LoopPassManager counted;
    counted.addPass(llvm::IndVarSimplifyPass());
    counted.addPass(llvm::LoopFullUnrollPass(level, true));
    passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(counted)));
    // Only where a loop asks for it.
    passes.addPass(llvm::LoopUnrollPass(llvm::LoopUnrollOptions(level, true)));
    // What was an array on the stack may now be registers.
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
    passes.addPass(llvm::DSEPass());
    passes.addPass(llvm::EarlyCSEPass(true));
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::SimplifyCFGPass());
    // Neighbouring accesses become one in emission where their alignment is known.
    passes.addPass(llvm::InferAlignmentPass());
    return passes;
}

}  // namespace

Result<std::unique_ptr<llvm::TargetMachine>> make_gpu_machine(const Gpu& gpu, int level) {
    initialize_llvm();
    const llvm::Triple triple("nvptx64-nvidia-cuda");
    std::string fault;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, fault);
    if (target == nullptr) return Failure{"LLVM has no code generator for NVIDIA GPUs: " + fault};
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
    // Never without optimization: ptxas then orders asynchronous products one after the other.
    const auto effort = level <= 1   ? llvm::CodeGenOptLevel::Less
                        : level == 2 ? llvm::CodeGenOptLevel::Default
                                     : llvm::CodeGenOptLevel::Aggressive;
    std::unique_ptr<llvm::TargetMachine> made(
        target->createTargetMachine(triple, gpu.name, gpu.ptx, options, std::nullopt, std::nullopt, effort));
    if (made == nullptr) return Failure{"LLVM made no code generator for " + gpu.name};
    return made;
}

void optimize_for_gpu(llvm::Module& module, llvm::TargetMachine& target, int level) {
    llvm::PassBuilder builder(&target);
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager components;
    llvm::ModuleAnalysisManager modules;
    functions.registerPass([&] { return builder.buildDefaultAAPipeline(); });
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
    llvm::ModulePassManager passes;
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(kernel_passes(std::max(level, 1))));
    // Tells which pointers are only read through: their loads take the read-only path.
    passes.addPass(llvm::createModuleToPostOrderCGSCCPassAdaptor(llvm::PostOrderFunctionAttrsPass()));
    passes.run(module, modules);
}

namespace {

// Straight-line strength reduction asks for each candidate whether any operand of what is behind it can be poison. Long
// kernels, and those whose products have hundreds of operands, spend most of their time there, for addresses that are
// made by steps already.
//
// Blocks are placed already (`order_blocks`).
class EmissionGate : public llvm::OptPassGate {
public:
    explicit EmissionGate(bool takes_long) : takes_long_(takes_long) {}
    bool isEnabled() const override { return true; }
    bool shouldRunPass(llvm::StringRef pass, llvm::StringRef) const override {
        return pass != "block-placement" && !(takes_long_ && pass == "slsr");
    }

private:
    bool takes_long_;
};

constexpr unsigned kLong = 2000;        // instructions
constexpr unsigned kManyOperands = 32;  // of one: products of warp groups have up to 260

bool takes_long(const llvm::Module& module) {
    if (module.getInstructionCount() > kLong) return true;
    for (const llvm::Function& function : module) {
        for (const llvm::Instruction& instruction : llvm::instructions(function)) {
            const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
            if (call != nullptr && call->isInlineAsm() && call->arg_size() > kManyOperands) return true;
        }
    }
    return false;
}

// `mad.wide` makes an address of an index by one instruction; LLVM asks for it by an option alone.
void use_wide_mads() {
    static std::once_flag once;
    std::call_once(once, [] {
        const auto& options = llvm::cl::getRegisteredOptions();
        const auto found = options.find("nvptx-mad-wide-opt");
        if (found != options.end()) static_cast<llvm::cl::opt<bool>*>(found->second)->setValue(true);
    });
}

}  // namespace

Result<std::string> emit_ptx(llvm::Module& module, llvm::TargetMachine& target) {
    use_wide_mads();
    EmissionGate gate(takes_long(module));
    module.getContext().setOptPassGate(gate);
    llvm::SmallString<0> code;
    llvm::raw_svector_ostream stream(code);
    llvm::legacy::PassManager passes;
    if (target.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile, true))
        return Failure{"LLVM can not emit PTX"};
    passes.run(module);
    module.getContext().setOptPassGate(llvm::getGlobalPassGate());
    return std::string(code.str());
}

}  // namespace tsr::codegen
