// Constants of a program in the layouts of runtime/abi.h.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include "base/sources.h"
#include "ir/core/function.h"

namespace tsr::codegen {

// Makes constants of an LLVM module; texts, places, strings and tables each once. All are private and without an
// address of their own.
class Data {
public:
    // `sources` gives places their file, line and column; null: places are unknown.
    Data(llvm::Module& module, const Sources* sources) : module_(module), sources_(sources) {}

    llvm::Constant* text(const std::string& bytes);    // const char*, ends in 0
    llvm::Constant* place(Span span);                  // const TsrPlace*; null for an unknown place
    llvm::Constant* place_value(Span span);            // TsrPlace itself
    llvm::Constant* string(const std::string& bytes);  // TsrString* that is never freed
    // const TsrMessage*: `format` with a hole `{}` or `{:spec}` per value; `{{` and `}}` are braces.
    llvm::Constant* message(Span span, const std::string& format, const std::vector<DType>& values);

    llvm::Constant* table(llvm::Constant* elements, unsigned address_space);

    llvm::Constant* global(llvm::Constant* value, const std::string& name);
    llvm::Constant* array(llvm::Type* element, const std::vector<llvm::Constant*>& values, const std::string& name);
    llvm::Constant* structure(const std::vector<llvm::Constant*>& fields);
    llvm::Constant* i32(int64_t value);
    llvm::Constant* i64(int64_t value);
    llvm::Constant* null();

    [[nodiscard]] llvm::Module& module() const { return module_; }
    [[nodiscard]] const Sources* sources() const { return sources_; }

private:
    llvm::Module& module_;
    const Sources* sources_;
    std::map<std::string, llvm::Constant*> texts_;
    std::map<std::string, llvm::Constant*> strings_;
    std::map<llvm::Constant*, llvm::Constant*> tables_;
    std::map<std::pair<uint32_t, uint32_t>, llvm::Constant*> places_;
};

// A format taken apart: text, or the spec of the next hole.
struct FormatPiece {
    bool hole = false;
    std::string text;
};
std::vector<FormatPiece> format_pieces(const std::string& format);

}  // namespace tsr::codegen
