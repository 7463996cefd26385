// Decides how a kernel and its loops are spread (language reference, section 4, "Flat kernels", "Loops").
#pragma once

#include <optional>
#include <string>

#include "base/diagnostics.h"
#include "ir/passes/tile/variability.h"

namespace tsr::ir {

struct KernelShape {
    LoopRoles roles;
    Variability variability;
    OpId grid;  // the grid loop, outermost axis; invalid if there is none
};

// Fills `flat`, `elements`, `launch` and `notes` of the kernel's info. Answers nothing when the program is refused.
std::optional<KernelShape> classify(Function& kernel, Diagnostics& diagnostics);

// The loops of one N-dimensional `tile.range`, outermost first; also directly nested tile loops, joined.
std::vector<OpId> loop_nest(const Function& kernel, OpId outermost, const LoopRoles& roles);

}  // namespace tsr::ir
