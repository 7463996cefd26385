// What operations on whole numbers give, where the numbers are known.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/core/opkind.h"

namespace tsr::ir {

// Nothing of other operations.
std::optional<int64_t> computed(OpKind kind, const std::vector<int64_t>& in);

}  // namespace tsr::ir
