// Random tensors and numbers (language reference, section 7): which types they have.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

Value random_call(Body& b, const BuiltinEntry& entry, const Matched& m);

}  // namespace tsr::sema
