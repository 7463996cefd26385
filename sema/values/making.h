// Containers that are made where they are written: they may be made of another type that their items convert to.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// A container that is made here has no other name: it may be made of another type that its items convert to.
// Whether it may; it then is of that type in the tables.
bool makes(Body& b, const ast::Expr& e, const Value& value, const Type& to);
bool makes_or_converts(Body& b, const ast::Expr& e, const Value& value, const Type& to);

}  // namespace tsr::sema
