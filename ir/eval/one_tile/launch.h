// One launch of a kernel that is the program of one tile.
#pragma once

#include <deque>

#include "ir/eval/machine.h"
#include "ir/eval/numbers.h"
#include "ir/eval/one_tile/memory.h"
#include "ir/eval/one_tile/who.h"

namespace tsr::ir::eval::one_tile {

// Ends the run.
struct Stopped {
    Report report;
};
[[noreturn]] void stop(const Function& kernel, OpId at, std::string message);

// What all groups of a launch share.
struct Launch {
    const Function& kernel;
    const Who& who;
    const EvalOptions& options;
    std::span<const KernelArgument> arguments;
    SymbolValues symbols;
    LaunchSize size;
    Elements elements;
    std::deque<Memory> tensors;  // of the parameters, in order
    std::vector<PrintLine> lines;
    KernelOutcome outcome;

    [[nodiscard]] int64_t dimension(OpId at, const Dim& dim) const;
};

// What the kernel says itself of its groups, or of its tiles where it is flat, or of the elements of its last loop;
// nothing where the launch must say it.
std::optional<LaunchSize> own_size(Launch& launch);

// How often a loop runs; a step of 0 gives none.
uint64_t iterations(Bits lower, Bits upper, Bits step, DType type);

}  // namespace tsr::ir::eval::one_tile
