// Assignments to elements, slices, views and fields.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

void assign_element(Body& b, const ast::Expr& target, const ast::Subscript& s, const Value& value,
                    const ast::Expr& source);
void assign_field(Body& b, const ast::Expr& target, const ast::Attribute& a, const Value& value,
                  const ast::Expr& source);

}  // namespace tsr::sema
