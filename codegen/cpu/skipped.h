// Results of branches that are skipped when no lane wants them.
#pragma once

#include <llvm/IR/Function.h>

namespace tsr::codegen {

// Behind `if any(m) { a = … }` stands `select(m, a, b)`: where the branch was skipped that is b, known without asking
// the lanes. The selection moves into the branch, so that who skips it pays for the test alone.
void select_in_branches(llvm::Function& function);

}  // namespace tsr::codegen
