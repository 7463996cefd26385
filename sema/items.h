// What containers of host programs hold.
#pragma once

#include "sema/type.h"

namespace tsr::sema {

// No function, type, module or range, nor nothing at all.
bool is_item(const Type& type);

}  // namespace tsr::sema
