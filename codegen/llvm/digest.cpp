#include "codegen/llvm/digest.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/Support/BLAKE3.h>
#include <llvm/Support/raw_ostream.h>

namespace tsr::codegen {

std::string module_digest(const llvm::Module& module, const std::string& text) {
    llvm::SmallVector<char, 0> bytes;
    llvm::raw_svector_ostream stream(bytes);
    llvm::WriteBitcodeToFile(module, stream);
    llvm::BLAKE3 hash;
    hash.update(llvm::StringRef(bytes.data(), bytes.size()));
    hash.update(text);
    return llvm::toHex(hash.final<16>(), /*LowerCase=*/true);
}

}  // namespace tsr::codegen
