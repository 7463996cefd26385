// What a name means inside a function: variables, dimensions, tuning parameters, functions, the module, the root.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

Value name_value(Body& b, const ast::Expr& e, const std::string& text);
Value symbol_value(Body& b, const ast::Expr& e, const Symbol& symbol, Span at, const std::string& text);

}  // namespace tsr::sema
