#include "codegen/cpu/pipeline.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/DeadStoreElimination.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "codegen/cpu/extremes.h"
#include "codegen/cpu/masks.h"
#include "codegen/cpu/powers.h"
#include "codegen/cpu/single_stores.h"
#include "codegen/cpu/skipped.h"
#include "codegen/llvm/initializers.h"

namespace tsr::codegen {

namespace {

const char* const kTriple = "x86_64-unknown-linux-gnu";

llvm::CodeGenOptLevel code_level(int level) {
    if (level <= 0) return llvm::CodeGenOptLevel::None;
    if (level == 1) return llvm::CodeGenOptLevel::Less;
    return level == 2 ? llvm::CodeGenOptLevel::Default : llvm::CodeGenOptLevel::Aggressive;
}

llvm::FunctionPassManager task_passes(int level) {
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    passes.addPass(llvm::EarlyCSEPass(true));
    passes.addPass(llvm::SimplifyCFGPass());
    passes.addPass(llvm::InstCombinePass());
    if (level >= 2) {
        llvm::LoopPassManager loops;
        loops.addPass(llvm::LoopRotatePass());
        loops.addPass(llvm::LICMPass(llvm::LICMOptions()));
        passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops), true));
        passes.addPass(llvm::SimplifyCFGPass());
        passes.addPass(llvm::GVNPass());
        llvm::LoopPassManager counted;
        counted.addPass(llvm::IndVarSimplifyPass());
        counted.addPass(llvm::LoopFullUnrollPass(level, true));
        passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(counted)));
        // Only where a loop asks for it.
        passes.addPass(llvm::LoopUnrollPass(llvm::LoopUnrollOptions(level, true)));
        passes.addPass(llvm::DSEPass());
        passes.addPass(llvm::EarlyCSEPass(true));
        passes.addPass(llvm::InstCombinePass());
        llvm::LoopPassManager again;
        again.addPass(llvm::LICMPass(llvm::LICMOptions()));
        passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(again), true));
    }
    passes.addPass(llvm::SimplifyCFGPass());
    return passes;
}

}  // namespace

Result<std::unique_ptr<llvm::TargetMachine>> make_target_machine(const Processor& machine, int level) {
    initialize_llvm();
    const llvm::Triple triple(kTriple);
    std::string fault;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, fault);
    if (target == nullptr) return Failure{"LLVM has no code generator for x86-64: " + fault};
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
    options.FunctionSections = true;
    options.DataSections = true;
    std::unique_ptr<llvm::TargetMachine> made(target->createTargetMachine(
        triple, machine.cpu, machine.features, options, llvm::Reloc::PIC_, std::nullopt, code_level(level)));
    if (made == nullptr) return Failure{"LLVM made no code generator for " + machine.cpu};
    return made;
}

void optimize(llvm::Module& module, llvm::TargetMachine& target, int level) {
    if (level <= 0) return;
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
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(task_passes(level)));
    passes.run(module, modules);
    for (llvm::Function& function : module) {
        if (!function.isDeclaration()) select_in_branches(function);
    }
}

void prepare(llvm::Module& module) {
    for (llvm::Function& function : module) {
        if (function.isDeclaration()) continue;
        unsigned bits = 0;
        function.getFnAttribute("prefer-vector-width").getValueAsString().getAsInteger(10, bits);
        if (bits < 512) {
            widen_masks(function, bits);
        } else {
            fit_mask_registers(function);
            scale_at_once(function);
            range_at_once(function);
        }
        store_single_elements(function);
    }
}

Result<std::string> emit_code(llvm::Module& module, llvm::TargetMachine& target, Form form) {
    llvm::SmallString<0> code;
    llvm::raw_svector_ostream stream(code);
    llvm::legacy::PassManager passes;
    const auto type = form == Form::object ? llvm::CodeGenFileType::ObjectFile : llvm::CodeGenFileType::AssemblyFile;
    if (target.addPassesToEmitFile(passes, stream, nullptr, type, true)) return Failure{"LLVM can not emit this form"};
    passes.run(module);
    return std::string(code.str());
}

}  // namespace tsr::codegen
