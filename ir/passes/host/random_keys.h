// Kernels that round by chance take keys behind their own parameters: the seed, and a stream for each place that does
// (how often the program has run it before, and above 32 bits the place's number).
#pragma once

#include <optional>

#include "ir/core/function.h"

namespace tsr::ir {

// The attributes of the operation `host` that gives the key for a parameter of that role; nothing: the caller gives the
// parameter.
std::optional<Attrs> key_source(const ParamRole& role);

}  // namespace tsr::ir
