// The memory of this machine: what is free of it, and failures where there is not enough.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/abi.h"

namespace tsr::runtime {

inline constexpr int64_t kAlignment = 64;  // bytes; of what elements lie in
inline constexpr int64_t kHugePage = int64_t{2} << 20;
inline int64_t rounded_up(int64_t bytes, int64_t unit) { return (bytes + unit - 1) / unit * unit; }

// Whether the system has so much; it promises more than it has. Small amounts are never looked at.
bool has_memory(int64_t bytes);
// What the system can still give, and what the machine has; -1 where that is unknown.
int64_t free_memory();
int64_t memory_of_machine();
// Fails before memory is asked for that is not there.
void require_memory(int64_t bytes, const TsrPlace* place);
// Fails with what was asked and what is free.
[[noreturn]] void out_of_memory(int64_t bytes, const TsrPlace* place);
// "1.50 GiB"; "unknown" below 0.
std::string in_units(int64_t bytes);

}  // namespace tsr::runtime
