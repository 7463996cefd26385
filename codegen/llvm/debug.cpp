#include "codegen/llvm/debug.h"

#include <filesystem>

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Module.h>

namespace tsr::codegen {

DebugInfo::DebugInfo(llvm::Module& module, const Sources& sources, Span main_file, Detail detail)
    : builder_(module), sources_(sources) {
    module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
    module.addModuleFlag(llvm::Module::Warning, "Dwarf Version", 4);
    // Debuggers know no Tessera; C is what its values look like to them.
    unit_ = builder_.createCompileUnit(
        llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_C99), file(main_file.file), "tesserac", true, "", 0, "",
        detail == Detail::lines ? llvm::DICompileUnit::DebugDirectivesOnly : llvm::DICompileUnit::FullDebug);
}

llvm::DIFile* DebugInfo::file(FileId id) {
    llvm::DIFile*& made = files_[id];
    if (made == nullptr) {
        std::error_code ignored;
        const auto path = std::filesystem::absolute(id.valid() ? sources_.path(id) : "unknown", ignored);
        made = builder_.createFile(path.filename().string(), path.parent_path().string());
    }
    return made;
}

void DebugInfo::begin(llvm::Function& function, const std::string& name, Span span) {
    function_file_ = span.file;
    const unsigned line = span.valid() ? sources_.position(span.file, span.begin).line : 0;
    llvm::DISubroutineType* type = builder_.createSubroutineType(builder_.getOrCreateTypeArray({}));
    function_ = builder_.createFunction(file(span.file), name, "", file(span.file), line, type, line,
                                        llvm::DINode::FlagPrototyped, llvm::DISubprogram::SPFlagDefinition);
    function.setSubprogram(function_);
}

void DebugInfo::locate(llvm::IRBuilder<>& builder, Span span) {
    if (!span.valid()) {
        builder.SetCurrentDebugLocation(
            llvm::DILocation::get(builder.getContext(), function_->getLine(), 0, function_));
        return;
    }
    llvm::DIScope* scope = function_;
    if (span.file != function_file_) scope = builder_.createLexicalBlockFile(function_, file(span.file));
    const LineColumn at = sources_.position(span.file, span.begin);
    builder.SetCurrentDebugLocation(llvm::DILocation::get(builder.getContext(), at.line, at.column, scope));
}

}  // namespace tsr::codegen
