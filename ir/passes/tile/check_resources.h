// Shared memory that a kernel asks for against what there is (language reference, section 4, "Resources").
#pragma once

#include <string_view>

#include "base/diagnostics.h"
#include "ir/core/function.h"

namespace tsr::ir {

// Bytes of a group's shared buffers on a CPU: a worker's share of the second-level cache of every machine of the last
// ten years.
inline constexpr int64_t kCpuSharedBytes = int64_t{256} << 10;

inline constexpr std::string_view kTooMuchMemory = "E0457";

// False when the buffers take more than the header allows or the CPU has; each is named at the one that passes the
// limit.
bool check_resources(const Function& kernel, Diagnostics& diagnostics);

}  // namespace tsr::ir
