// What functions of level Host refer to: each other, and the tables of kernels and of tuned ones.
#include "codegen/host/host.h"
#include "ir/core/lines.h"

namespace tsr::codegen {

ProgramNames::ProgramNames(const Program& program, const Sources& sources)
    : exported(program.main.empty() && program.exports.empty()) {
    if (program.host != nullptr) {
        for (const ir::Function& function : program.host->functions) {
            if (function.level != ir::Level::host) continue;
            functions[function.name] = &function;
            const bool placed = function.place.valid();
            if (placed && ir::is_library_text(sources, function.place_of(function.place).span.file))
                library.insert(function.name);
        }
    }
    for (const KernelFamily& family : program.families) {
        families[family.name] = (exported ? "tsr_kernel_" : "family.") + family.name;
        for (const KernelVariant& variant : family.variants) {
            if (variant.on_gpu()) on_gpus = family.name;
        }
    }
    for (const Tuning& tuning : program.tunings)
        tunings[tuning.names] = {&tuning, "tuning." + std::to_string(tunings.size())};
}

llvm::Function* HostNames::function(const std::string& name) {
    const ir::Function& source = *program_.functions.at(name);
    llvm::Function* known = module_.getFunction("host." + name);
    return known != nullptr ? known : declare_host(source, module_);
}

llvm::Constant* HostNames::variable(const std::string& symbol) {
    if (llvm::GlobalVariable* known = module_.getNamedGlobal(symbol)) return known;
    auto* declared = new llvm::GlobalVariable(module_, llvm::Type::getInt8Ty(module_.getContext()), true,
                                              llvm::GlobalValue::ExternalLinkage, nullptr, symbol);
    if (!program_.exported) declared->setVisibility(llvm::GlobalValue::HiddenVisibility);
    return declared;
}

llvm::Constant* HostNames::family(const std::string& name) { return variable(program_.families.at(name)); }

llvm::Constant* HostNames::table(const ProgramNames::Points& points) { return variable(points.table); }

}  // namespace tsr::codegen
