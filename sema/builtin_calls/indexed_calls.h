// Elements of whole tensors by their number along an axis: places of the greatest, gathers, scatters; and scans.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// Of a function that `is_indexed` knows.
Value indexed_call(Body& b, const ast::Expr& e, const BuiltinEntry& row);

}  // namespace tsr::sema
