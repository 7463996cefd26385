// What users say by variables of the environment.
#pragma once

#include <cstdint>
#include <optional>

namespace tsr::runtime {

// A value that means nothing fails with the variable's name and what was expected. An empty one counts as none.

// TESSERA_TUNE=off: nothing is measured, the first point is taken where no winner is known.
// TESSERA_TUNE=again: winners of earlier runs do not count.
enum class TuneWish : uint8_t { usual, off, again };
TuneWish tune_wish();

// TESSERA_THREADS: from 1 to 1024.
std::optional<int> wished_workers();

// TESSERA_CPU: the features that code may use, as bits TSR_CPU_…; all of them without the variable.
uint64_t allowed_features();

// TESSERA_KEEP=N: so many MiB of memory that tensors left are kept for others; in bytes.
std::optional<int64_t> wished_kept_bytes();

// A variable that is 0 or 1.
std::optional<bool> wished(const char* variable);

// Reads them all, so that a program with a wrong one ends before it does anything.
void check_environment();

}  // namespace tsr::runtime
