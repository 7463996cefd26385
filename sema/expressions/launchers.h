// `kernel[groups]`: a kernel with the numbers of groups that it is launched with.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

Value launch_groups(Body& b, const ast::Expr& e, const ast::Subscript& s, FunctionId kernel);

}  // namespace tsr::sema
