// The builtins of kernels: ids, collectives; those of memory and of register tiles are in files of their own.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

Value tile_call(Body& b, const ast::Expr& e, const BuiltinEntry& entry, const Matched& m);

}  // namespace tsr::sema
