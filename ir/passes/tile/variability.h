// Who does a statement (language reference, section 4): which values differ between the tiles of a group, and which
// operations only some tiles reach. Decided on the program of one tile, after inlining.
#pragma once

#include <vector>

#include "ir/core/function.h"

namespace tsr::ir {

// How a loop of the source is run.
enum class LoopRole : uint8_t {
    in_order,
    tile_loop,     // rounds spread over the tiles of the group
    grid_loop,     // rounds spread over the groups
    element_grid,  // rounds spread over groups and tiles at once
};

// By OpId; only loops have an entry that means anything.
using LoopRoles = std::vector<LoopRole>;

struct Variability {
    std::vector<bool> varying;    // by ValueId: comes from a tile id, a spread index, a varying value, load or choice
    std::vector<bool> divergent;  // by OpId: under a varying condition, or in a loop whose number of rounds varies

    [[nodiscard]] bool is_varying(ValueId value) const { return varying[value.index]; }
    [[nodiscard]] bool is_divergent(OpId op) const { return divergent[op.index]; }
    // The group does it: its control flow and all its values are uniform.
    [[nodiscard]] bool is_groups(const Function& function, OpId op) const;
};

// `function` is a kernel in the form elaboration makes.
Variability find_variability(const Function& function, const LoopRoles& roles);

}  // namespace tsr::ir
