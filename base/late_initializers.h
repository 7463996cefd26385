// Initializers of a library's global objects that run when the library is first needed, instead of at each start of the
// process. LLVM and ANTLR have hundreds of them, for options and tables that most commands never look at.
//
// tools/late_initializers.ld makes the linker put them into lists of their own, with a symbol at each end. In a program
// that is linked without that script they run at its start, and the symbols, which are weak, are null.
#pragma once

namespace tsr {

using Initializer = void (*)();

// Runs a list in its order; the caller sees to it that this happens once.
inline void run_initializers(const Initializer* begin, const Initializer* end) {
    for (const Initializer* each = begin; each != end; ++each) (*each)();
}

}  // namespace tsr
