// How the axes of what an operation gives follow from the axes of its operands, for register tiles. Passes that divide
// tiles or give them layouts ask this instead of listing operations.
#pragma once

#include <vector>

#include "ir/ops/record.h"

namespace tsr::ir {

inline bool is_tile(const Function& function, ValueId value) { return function.type(value).kind == TypeKind::tile; }

// Of the record; element operations have none there, and are all alike.
AxisRule axis_rule(OpKind kind);

// Axis `from` of the operand is axis `to` of the result.
struct AxisLink {
    ValueId operand;
    size_t from = 0, to = 0;
};
struct TileAxis {
    ValueId tile;
    size_t axis = 0;
};
struct AxisLinks {
    std::vector<AxisLink> links;
    std::vector<TileAxis> meet;   // elements along these come together
    std::vector<TileAxis> inner;  // of a product of two tiles: two axes that are gone through together
};
// Of an operation without regions; operands that are no tiles have no axes.
AxisLinks axis_links(const Function& function, OpId op);

}  // namespace tsr::ir
