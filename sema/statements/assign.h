// Assignments: names, elements, views; what a variable's type becomes.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

void assignment(Body& b, const ast::Stmt& stmt, const ast::Assign& a);
void augmented_assignment(Body& b, const ast::Stmt& stmt, const ast::AugmentedAssign& a);
void annotated_assignment(Body& b, const ast::Stmt& stmt, const ast::AnnotatedAssign& a);

}  // namespace tsr::sema
