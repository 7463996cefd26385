// `f(*items)` as a call with each item by itself.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// Nothing after a message.
const ast::Call* unpacked_call(Body& b, const ast::Expr& e, const ast::Call& c);

}  // namespace tsr::sema
