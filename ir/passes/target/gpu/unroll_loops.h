// Asks for the unrolling of short loops in the program of a thread: their rounds share the counting and the test.
#pragma once

#include "ir/core/function.h"

namespace tsr::ir {

// Innermost loops of a few operations that threads do each for itself. Those with few rounds, known in number, are left
// to the code generator, which unrolls them whole.
void unroll_loops(Function& thread);

}  // namespace tsr::ir
