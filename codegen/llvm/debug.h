// DWARF line information from the places of operations.
#pragma once

#include <map>
#include <string>
#include <vector>

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

    // What is emitted between them is a block of its own, inside of the one at hand: a line of which there are several
    // copies (whole vectors, and the rest of them) has a place to stop in each. A debugger is told of a block that
    // has a variable; `value` may be null.
    void enter_block(llvm::IRBuilder<>& builder, const std::string& variable, llvm::Value* value);
    void leave_block() { blocks_.pop_back(); }
    void finish() { builder_.finalize(); }

private:
    llvm::DIFile* file(FileId id);
    [[nodiscard]] llvm::DIScope* innermost() const;

    llvm::DIBuilder builder_;
    const Sources& sources_;
    llvm::DICompileUnit* unit_ = nullptr;
    llvm::DISubprogram* function_ = nullptr;
    FileId function_file_;
    std::vector<llvm::DIScope*> blocks_;
    Detail detail_;
    std::map<FileId, llvm::DIFile*> files_;
};

}  // namespace tsr::codegen
