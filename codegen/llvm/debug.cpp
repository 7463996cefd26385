#include "codegen/llvm/debug.h"

#include <filesystem>

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Module.h>

namespace tsr::codegen {

DebugInfo::DebugInfo(llvm::Module& module, const Sources& sources, Span main_file, Detail detail)
    : builder_(module), sources_(sources), detail_(detail) {
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
            llvm::DILocation::get(builder.getContext(), function_->getLine(), 0, innermost()));
        return;
    }
    llvm::DIScope* scope = innermost();
    if (span.file != function_file_) scope = builder_.createLexicalBlockFile(scope, file(span.file));
    const LineColumn at = sources_.position(span.file, span.begin);
    builder.SetCurrentDebugLocation(llvm::DILocation::get(builder.getContext(), at.line, at.column, scope));
}

llvm::DIScope* DebugInfo::innermost() const { return blocks_.empty() ? function_ : blocks_.back(); }

void DebugInfo::enter_block(llvm::IRBuilder<>& builder, const std::string& variable, llvm::Value* value) {
    if (detail_ == Detail::lines) return blocks_.push_back(innermost());
    const llvm::DebugLoc at = builder.getCurrentDebugLocation();
    llvm::DILexicalBlock* block =
        builder_.createLexicalBlock(innermost(), file(function_file_), at.getLine(), at.getCol());
    blocks_.push_back(block);
    const unsigned bits = value == nullptr ? 64 : value->getType()->getIntegerBitWidth();
    llvm::DILocalVariable* shown =
        builder_.createAutoVariable(block, variable, file(function_file_), at.getLine(),
                                    builder_.createBasicType("index", bits, llvm::dwarf::DW_ATE_signed), true);
    if (value == nullptr) return;
    llvm::DILocation* here = llvm::DILocation::get(builder.getContext(), at.getLine(), at.getCol(), block);
    builder_.insertDbgValueIntrinsic(value, shown, builder_.createExpression(), here, builder.GetInsertBlock()->end());
}

}  // namespace tsr::codegen
