// The words behind `--` on the command line: what `args` is in a program.
#pragma once

#include <string>
#include <vector>

namespace tsr::runtime {

void set_words(std::vector<std::string> words);

}  // namespace tsr::runtime
