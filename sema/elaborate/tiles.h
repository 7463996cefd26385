// Register tiles: views of memory as tiles, their axes, sums that products accumulate in.
#pragma once

#include <optional>
#include <vector>

#include "frontend/ast.h"
#include "sema/elaborate/body.h"
#include "sema/elaborate/rounding.h"

namespace tsr::elaborate {

// A view of memory, or all of it, as its type says. Outside is `fill`, undefined: 0.
Val load_tile(Body& b, const Val& memory, const sema::Type& type, const Val& fill);
// Tiles of smaller shape and scalars are repeated.
void store_tile(Body& b, const Val& memory, const sema::Type& type, const Val& value, const ast::Expr* written);
void atomic_tile(Body& b, const Val& memory, const sema::Type& type, const Val& value, ir::AtomicOp op);

// `t[:, None]`
Val tile_axes(Body& b, const Val& tile, const std::vector<const ast::Expr*>& items, const sema::Type& type);
Val tile_transpose(Body& b, const Val& tile);

// `e + tile.mma(…)` and `tile.mma(…) + e` of the result type: the accumulation starts at the rounded value of `e`.
// Nothing where the sum is none of these.
std::optional<Val> accumulated_sum(Body& b, const ast::Binary& sum, const sema::Type& type);
std::optional<Val> accumulated_sum(Body& b, const Val& before, const ast::Expr& value, const sema::Type& type);

}  // namespace tsr::elaborate
