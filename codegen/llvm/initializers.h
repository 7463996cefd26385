// LLVM made ready when code is, not when the process starts.
#pragma once

namespace tsr::codegen {

// Initializes LLVM's global objects and registers the targets that code is made for, once. Whatever reaches LLVM or LLD
// from outside of this library comes by here first; may be called from any thread.
void initialize_llvm();

}  // namespace tsr::codegen
