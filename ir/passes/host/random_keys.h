// Kernels that round by chance take keys behind their own parameters: the seed, and a stream for each place that does
// (how often the program has run it before, and above 32 bits the place's number).
#pragma once

#include <optional>
#include <string>

#include "ir/core/function.h"

namespace tsr::ir {

std::string seed_parameter();
std::string stream_parameter(int64_t site);

// The attributes of the operation `host` that gives the key for a parameter of that name; nothing: the parameter is the
// program's own.
std::optional<Attrs> key_source(const std::string& parameter);

}  // namespace tsr::ir
