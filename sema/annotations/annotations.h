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

// Whether lists or dictionaries are in what an annotation names, in fields of classes, too: their lengths and keys are
// those of what is given. `depth`: of the annotations around.
bool names_containers(const Checker& checker, ModuleId module, const ast::Expr& type, int depth = 0);

}  // namespace tsr::sema
