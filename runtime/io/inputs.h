// The files that were given on the command line: they never change (language reference, section 1).
#pragma once

#include <string>

#include "runtime/result.h"

namespace tsr::runtime {

void note_input(const std::string& path);
// Whether a tensor may be written there: a known kind of file, in a folder that exists, and no input. Writes nothing.
Result<Done> check_output(const std::string& path);

}  // namespace tsr::runtime
