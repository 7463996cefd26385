// Register tiles: which views they fill, how they are indexed, where they are stored (language reference, section 4).
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// A tile type of static extents, with the message if there is none.
std::optional<Type> tile_type(Body& b, Span at, DType elem, std::vector<int64_t> shape);
// The tile that fills a view, or a whole buffer or tensor.
std::optional<Type> viewed_tile(Body& b, const ast::Expr& e, const Type& view);
// A static axis, counted from the front.
std::optional<int64_t> tile_axis(Body& b, const ast::Expr& e, size_t rank);
// `t[:, None]`: whole axes and new ones. A tile has no single elements.
Value tile_index(Body& b, const ast::Expr& e, const std::vector<const ast::Expr*>& indices, const Value& base);
// Says so where two tiles have no common shape, or a tile meets a vector.
bool require_broadcast(Body& b, const ast::Expr& le, const Value& l, const ast::Expr& re, const Value& r, Span at,
                       const std::string& what);
// `C[m:m+64, n:n+64] = tile`, or a scalar for all of the view. `target` is the view with the memory it is of.
bool require_stores(Body& b, const ast::Expr& target, const Type& view, const ast::Expr& e, const Value& value);
// Says so where memory is the `.T` of a buffer.
bool require_untransposed(Body& b, const ast::Expr& e, const Type& memory);
// Suggests `tile.load(e)` where memory stands for a register tile.
void offer_load(Body& b, Diagnostic& d, const ast::Expr& e, const Type& type);

}  // namespace tsr::sema
