// The builtins of register tiles: how they are made, reduced and multiplied.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

Value register_tile_call(Body& b, const ast::Expr& e, const BuiltinEntry& entry, const Matched& m);

}  // namespace tsr::sema
