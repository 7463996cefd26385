// Tensors beside their scales: records of a precision policy or a block format.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// How records of the class hold a tensor; null where they hold none.
const StoredForm* stored_form(const Body& b, const Type& record);

// The type of a tensor of a class with so many axes; unknown after a message. In kernels it is its storage.
Type stored_type(Body& b, const ast::Expr& at, FunctionId made, const std::vector<ir::Dim>& shape);

// `Policy.storage`, …: what a class says of its tensors; nothing where it says none of that name.
std::optional<Value> form_member(Body& b, const Type& named, const ast::Attribute& a);
// `Policy._along(axis, rank)`: the same form with blocks along another axis, for the library.
Value form_along(Body& b, const ast::Expr& e, const ast::Call& c, const Type& named);

}  // namespace tsr::sema
