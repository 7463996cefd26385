// Programs that were compiled, started from this process.
#pragma once

#include <string>

#include "driver/options.h"

namespace tsr::driver {

// The executable in an open file that has no name. -1: `errno` says why.
int in_memory(const std::string& executable);

// Becomes the program that stands in an open file, with the program's arguments; comes back only when that fails, with
// the reason.
std::string become(int program, const Options& options);

}  // namespace tsr::driver
