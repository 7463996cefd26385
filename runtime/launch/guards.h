// Whether a variant of a kernel takes the arguments of a launch.
#pragma once

#include "runtime/abi.h"

namespace tsr::runtime {

// Whether its guards hold; pointers among the slots are those of its machine.
bool accepts(const TsrKernelVariant& variant, const uint64_t* slots);

}  // namespace tsr::runtime
