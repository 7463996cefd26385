// What is true of a kernel as a whole: shared memory within the limit, no names of the group where there is none.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

void check_kernel_limits(Body& b);

}  // namespace tsr::sema
