// Generators: comprehensions that stand as arguments of what goes through them.
#pragma once

#include "sema/body.h"

namespace tsr::sema {

// The generators among the arguments of a builtin stand there rightly, if it is one that goes through them.
void take_generators(Body& b, Builtin function, const Matched& m);

}  // namespace tsr::sema
