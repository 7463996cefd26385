// Runs the program of one tile, as elaboration makes it: no pass of the compiler stands before it.
#pragma once

#include "ir/eval/evaluate.h"

namespace tsr::ir::eval {

// One launch (a `RunLaunch`). `size`: the groups that the launch says, of a flat kernel each 128 tiles; nothing: the
// kernel says it.
KernelOutcome run_one_tile(const Function& kernel, std::span<const KernelArgument> arguments,
                           const std::optional<LaunchSize>& size, const EvalOptions& options,
                           const SymbolValues& symbols);

}  // namespace tsr::ir::eval
