// Annotations: the types that a program writes.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// `in_header`: of a parameter or result, where names of dimensions are bound.
Annotation annotation(Body& b, const ast::Expr& e, bool in_header);

}  // namespace tsr::sema
