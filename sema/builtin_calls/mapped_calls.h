// `map(f, xs)`: the comprehension that it stands for.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

Value map_call(Body& b, const ast::Expr& e, const Matched& m);

}  // namespace tsr::sema
