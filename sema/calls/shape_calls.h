// A shape whose extents stand one by one, as a tuple: `zeros(3, 4, f64)` is `zeros((3, 4), f64)`.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// The call with a tuple in the place of several extents; the call itself where it has none.
const ast::Call& call_with_shape(Body& b, const ast::Expr& e, const ast::Call& c,
                                 const std::vector<BuiltinParameter>& parameters);

}  // namespace tsr::sema
