// The builtins of kernels that read and write memory: elements, vectors, views, atomics, copies.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

Value memory_call(Body& b, const ast::Expr& e, const BuiltinEntry& entry, const Matched& m);

}  // namespace tsr::sema
