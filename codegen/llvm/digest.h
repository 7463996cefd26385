// What an LLVM module is, in a few characters.
#pragma once

#include <string>

#include <llvm/IR/Module.h>

namespace tsr::codegen {

// The digest (BLAKE3) of the module as bitcode and of a text, in hexadecimal. Names that the module keeps are part of
// it.
std::string module_digest(const llvm::Module& module, const std::string& text);

}  // namespace tsr::codegen
