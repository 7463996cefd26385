// `a @ b` of whole tensors.
#pragma once

#include "sema/elaborate/body.h"

namespace tsr::elaborate {

// Each partial sum in `compute`; the result is of type `type`, not rounded yet. A vector's product is a sum along one
// axis.
Val tensor_product(Body& b, const Val& lhs, const Val& rhs, DType compute, DType type);

}  // namespace tsr::elaborate
