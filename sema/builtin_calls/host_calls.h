// The builtins of host programs: tensors are made, read, written, copied.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

Value host_call(Body& b, const ast::Expr& e, const BuiltinEntry& entry, const Matched& m);

}  // namespace tsr::sema
