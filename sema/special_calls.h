// Calls that are checked before their arguments are put to parameters.
#pragma once

#include "sema/body.h"

namespace tsr::sema {

// The generators among the arguments of a builtin stand there rightly, if it is one that goes through them.
void take_generators(Body& b, Builtin function, const Matched& m);

// `dict(a=1)`, which only a tuning space has: says how a dictionary is written.
Value refuse_dict_call(Body& b, const ast::Call& c);

}  // namespace tsr::sema
