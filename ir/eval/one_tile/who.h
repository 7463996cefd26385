// Who does a statement of the program of one tile (language reference, section 4, "Who does a statement" and "Loops"):
// decided here from the text alone, apart from the compiler's own `classify`.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/core/function.h"

namespace tsr::ir::eval::one_tile {

// Over what the iterations of a loop are spread.
enum class Spread : uint8_t {
    in_order,
    tiles,     // of the group
    groups,    // of the launch
    elements,  // groups and tiles at once
};

struct Who {
    bool flat = false;            // the kernel numbers the tiles of the launch
    OpId grid;                    // the loop over groups or elements; invalid if there is none
    std::vector<Spread> spread;   // by OpId, of loops
    std::vector<bool> varying;    // by ValueId: it may differ between tiles
    std::vector<bool> only_some;  // by RegionId: perhaps not all tiles of the group get there

    [[nodiscard]] bool varies(ValueId value) const { return varying[value.index]; }
    [[nodiscard]] bool is_elements() const { return grid.valid() && spread[grid.index] == Spread::elements; }
    // The group does it, once: all tiles get there, and all its values are the same for all of them.
    [[nodiscard]] bool is_groups(const Function& kernel, OpId op) const;
};

Who who_does(const Function& kernel);

// The loops whose iterations are spread as one, the outermost first.
std::vector<OpId> nest_of(const Function& kernel, const Who& who, OpId outermost);

// Made of dimensions, scalar arguments and constants by element operations alone.
bool is_known_at_launch(const Function& kernel, ValueId value);

}  // namespace tsr::ir::eval::one_tile
