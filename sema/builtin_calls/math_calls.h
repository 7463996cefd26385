// The builtins that kernels and host programs share: elementwise math, conversions, print.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

Value math_call(Body& b, const ast::Expr& e, const BuiltinEntry& entry, const Matched& m);

}  // namespace tsr::sema
