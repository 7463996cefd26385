// Shared buffers: their shape, layout and bytes.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

Value allocation(Body& b, const ast::Expr& e, const std::optional<DType>& elem, const Matched& m, bool by_tuple);

}  // namespace tsr::sema
