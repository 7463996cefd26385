// Tuples, lists and dictionaries as they are written.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

Value tuple_display(Body& b, const ast::Expr& e, const std::vector<const ast::Expr*>& elements);
Value list_display(Body& b, const ast::Expr& e, const std::vector<const ast::Expr*>& elements);
Value dict_display(Body& b, const ast::Expr& e, const ast::Dict& d);

}  // namespace tsr::sema
