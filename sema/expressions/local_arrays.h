// Arrays of each tile's own: `a = tile.local((8,), f32)`.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

Value local_array_index(Body& b, const ast::Expr& e, const std::vector<const ast::Expr*>& indices, const Value& base);
Value local_array(Body& b, const ast::Expr& e, const Matched& m);

}  // namespace tsr::sema
