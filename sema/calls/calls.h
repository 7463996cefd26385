// Calls: what is called, by its kind.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

Value call_value(Body& b, const ast::Expr& e, const ast::Call& c);

}  // namespace tsr::sema
