// Which compiler this is, to the byte.
#pragma once

#include <string>

namespace tsr::driver {

// The build identifier that the linker put into this executable, in hexadecimal; two builds that differ in a byte have
// different ones.
std::string build_id();

}  // namespace tsr::driver
