// What measured times hold for: this processor as far as the program uses it.
#pragma once

#include <string>

namespace tsr::runtime {

// One line: its features, threads, and name.
std::string device_text();

}  // namespace tsr::runtime
