// Calls: what is called, and which argument goes to which parameter.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

Value call_value(Body& b, const ast::Expr& e, const ast::Call& c);

}  // namespace tsr::sema
