// DWARF line information from the places of operations.
#pragma once

#include <map>
#include <memory>

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>

#include "base/sources.h"
#include "ir/core/function.h"

namespace tsr::codegen {

class DebugInfo {
public:
    // `lines`: comments for an assembler that makes line tables itself.
    enum class Detail { dwarf, lines };
    DebugInfo(llvm::Module& module, const Sources& sources, Span main_file, Detail detail = Detail::dwarf);

    // The function gets a line of its own; operations emitted until the next `begin` belong to it.
    void begin(llvm::Function& function, const std::string& name, Span span);
    // The line of what is emitted next. An unknown place keeps the function's own line.
    void locate(llvm::IRBuilder<>& builder, Span span);
    void finish() { builder_.finalize(); }

private:
    llvm::DIFile* file(FileId id);

    llvm::DIBuilder builder_;
    const Sources& sources_;
    llvm::DICompileUnit* unit_ = nullptr;
    llvm::DISubprogram* function_ = nullptr;
    FileId function_file_;
    std::map<FileId, llvm::DIFile*> files_;
};

}  // namespace tsr::codegen
