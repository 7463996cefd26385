// The targets of LLVM that code is made for.
#pragma once

namespace tsr::codegen {

// Registers all of them, once, before any is looked up: LLVM's table may not grow while another thread reads it.
void register_targets();

}  // namespace tsr::codegen
