// Comprehensions: lists and dictionaries made item by item, generators, constant lists of modules.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// The names of a target become variables of the comprehension, call or loop that they stand in (Body::inner_names).
void bind_inner_names(Body& b, const ast::Expr& target);
Value comprehension(Body& b, const ast::Expr& e, const ast::Comprehension& c);
// In an element of such a list what is made an f32 or i32 is a literal.
std::optional<Value> item_literal(const Body& b, const Value& value, DType to);

}  // namespace tsr::sema
