// Which thread of a block holds which elements of each register tile, decided once for a whole kernel.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "ir/layout/layout.h"
#include "ir/machine/fragments.h"
#include "ir/machine/gpu.h"
#include "ir/ops/register.h"
#include "ir/passes/target/gpu/tiles/groups.h"
#include "ir/passes/target/gpu/tiles/warp_products.h"

namespace tsr::ir {

// How a product is spread: its fragments, and the warps along rows and columns of the accumulator (powers of two).
struct ProductPlan {
    WarpProduct product;
    int row_warps = 0, column_warps = 0;  // log2
    GroupOperand group = GroupOperand::none;
};

struct TileLayouts {
    std::unordered_map<ValueId, Layout> of;
    std::unordered_map<OpId, ProductPlan> products;  // of each `mma` that warps have
};

// Tiles that element operations, scans and control flow make of each other share a layout; what a sum leaves and what
// is repeated along axes follows from the larger tile. Accumulators lie as the machine's products have them, other
// tiles in rows: accesses of 16 bytes, a warp along a row, warps along rows. Operations convert operands that
// lie otherwise. `threads`: a power of two, at least 32. Every `mma` has a product of the machine (`product_of`).
TileLayouts assign_layouts(const Function& kernel, int64_t threads, const GpuMachine& machine);

// Whether warp groups do some of the products.
bool multiplies_by_groups(const TileLayouts& layouts);

// The layouts of a product's operands.
LinearMap operand_atom(const ProductPlan& plan, Operand operand);

// An operation without regions that takes or gives register tiles.
bool touches_tiles(const Function& kernel, const Op& op);

// How many threads a block has for a kernel's tiles: 32 … 256, none where there are no tiles.
std::optional<int64_t> tile_threads(const Function& kernel);

// What an operation that repeats wants of its operand, for a layout of its result: axis i of the operand is axis
// axes[i].
Layout before_expand(const Layout& result, const std::vector<int64_t>& axes, const Coordinates& operand_shape);

}  // namespace tsr::ir
