// Which operations on register tiles have no code on a GPU.
#pragma once

#include <optional>

#include "ir/passes/target/gpu/spread_threads.h"

namespace tsr::ir {

// Nothing for an operation that has code, or has no part in register tiles.
std::optional<NoGpuCode> without_tile_code(const Function& kernel, OpId id);

}  // namespace tsr::ir
