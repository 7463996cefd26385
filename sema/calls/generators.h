// Where generators may stand: as arguments of functions that go through their items.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// The generators among the arguments of a builtin stand there rightly, if it is one that goes through them.
void take_generators(Body& b, Builtin function, const Matched& m);
// The generator, if it is one, stands where it is gone through: as an argument of `function`.
void take_generator(Body& b, const ast::Expr& e);

}  // namespace tsr::sema
