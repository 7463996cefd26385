// Annotations: the types that a program writes.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// Reads a type and records it and what it is made of. `in_header`: of a parameter or result, where names of dimensions
// are bound.
Annotation annotation(Body& b, const ast::Expr& e, bool in_header);
// The same where the caller records what `e` is.
Annotation read_annotation(Body& b, const ast::Expr& e, bool in_header);
// A type where an expression stands: whoever asked for the expression records it.
Value written_type(Body& b, const ast::Expr& e);

}  // namespace tsr::sema
