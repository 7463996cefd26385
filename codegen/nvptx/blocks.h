// The order in which the blocks of a kernel stand in its PTX.
#pragma once

#include <llvm/IR/Function.h>

namespace tsr::codegen {

// Puts the blocks in the order in which threads run them, so that few of them end with a jump: the blocks of a loop
// stand together and its last one steps back; what follows a loop stands behind it. Of two ways that meet again the
// shorter one, which is that without tests of bounds, stands last and runs into what follows. LLVM's own placement of
// blocks, which takes any way for as likely as the other, is left out for it (`emit_ptx`).
void order_blocks(llvm::Function& function);

}  // namespace tsr::codegen
