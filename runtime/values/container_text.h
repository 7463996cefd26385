// Values as Python's repr() writes them.
#pragma once

#include <string>

#include "runtime/abi.h"

namespace tsr::runtime {

// A value of a type of abi.h, "Containers"; strings are quoted.
std::string value_text(const char* type, TsrSlot value);

}  // namespace tsr::runtime
