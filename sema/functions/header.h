// The header of a function: its parameters and dimensions, and what a kernel's decorator says.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

void read_header(Body& b, const Request& request);

}  // namespace tsr::sema
