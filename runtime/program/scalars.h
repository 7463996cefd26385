// Scalars as words of a command line.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/result.h"

namespace tsr::runtime {

// The bits of `word` in the type. Integers: decimal or 0x, 0o, 0b, with _ between digits, within the type's range.
// Floats: as C reads them, inf and nan too; one rounding to the type. bool: true, false, 1, 0. c64: 1+2j.
Result<uint64_t> parse_scalar(const std::string& word, int32_t dtype);

}  // namespace tsr::runtime
