// Which parameter gives a name in the header its value (language reference, section 3, "Dimensions"): a name is bound
// where it stands alone, else by the first expression in which it is the only unknown; an expression of several
// unknowns is one dimension.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

void bind_dimensions(Body& b);

}  // namespace tsr::sema
