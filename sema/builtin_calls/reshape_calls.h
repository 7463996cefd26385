// `x.reshape(2, -1)`, `reshape(x, (2, 3))`, `x.reshape(y.shape)`.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

Value reshape_call(Body& b, const ast::Expr& e, const Matched& m);

}  // namespace tsr::sema
