// What follows a dot without being called: `x.shape`, `x.dtype`, `x.T`, `ctx.BLOCK_M`, members of modules.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

Value attribute_value(Body& b, const ast::Expr& e, const ast::Attribute& a);

}  // namespace tsr::sema
