// The program of one thread for tensors that begin at multiples of an alignment.
#pragma once

#include <optional>

#include "ir/core/function.h"

namespace tsr::ir {

// The same program, whose slots say that their tensors are aligned so that neighbouring tiles of a thread are one
// access (16 bytes); nothing where the plan gives a thread no neighbours. Launches whose tensors are not need the
// program as it was.
std::optional<Function> align_pointers(const Function& thread);

}  // namespace tsr::ir
