// The files that were given on the command line: they never change (language reference, section 1).
#pragma once

#include <string>

#include "runtime/result.h"

namespace tsr::runtime {

void note_input(const std::string& path);
// Whether a file may be written there: in a folder that exists, and no input. Writes nothing.
Result<Done> check_place(const std::string& path);
// Whether two paths name one file, through links too, or would: one name in one folder.
bool same_file(const std::string& one, const std::string& other);

}  // namespace tsr::runtime
