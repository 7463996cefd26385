// `a @ b` and `einsum` of whole tensors.
#pragma once

#include "sema/elaborate/body.h"

namespace tsr::elaborate {

// Each partial sum in `compute`; the result is of type `type`, not rounded yet, and `type` has the policies of both. A
// vector's product is a sum along one axis, where no factor is rounded to tf32.
Val tensor_product(Body& b, const Val& lhs, const Val& rhs, DType compute, const sema::Type& type);

Val einsum(Body& b, const ast::Expr& e, const sema::CallInfo& info);

}  // namespace tsr::elaborate
