// What has no code on a GPU.
#pragma once

#include <optional>
#include <string>

#include "ir/core/function.h"

namespace tsr::ir {

// What keeps a kernel from having code on a GPU.
struct NoGpuCode {
    OpId op;           // where; invalid: the kernel as a whole
    std::string what;  // "a product of register tiles", …
};

// Nothing for an operation that has code, or has no part in register tiles.
std::optional<NoGpuCode> without_tile_code(const Function& kernel, OpId id);

}  // namespace tsr::ir
