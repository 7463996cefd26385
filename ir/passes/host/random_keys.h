// Kernels that round by chance take keys behind their own parameters: the seed, and a stream for each place that does
// (how often the program has run it before, and above 32 bits the place's number). So do graph functions with random
// numbers: whoever calls one, or takes its derivative, gives it the same keys for all that it computes again. The scale
// of `@loss_scale(dynamic)` is given with them.
#pragma once

#include <optional>

#include "base/diagnostics.h"
#include "ir/core/function.h"

namespace tsr::ir {

// The attributes of the operation `host` that gives the key for a parameter of that role; nothing: the caller gives the
// parameter.
std::optional<Attrs> key_source(const ParamRole& role);

// Makes the keys and the scale that graph functions ask for, `host` operations, parameters of theirs, and gives them in
// each call, in the order in which the text uses them. Refused, with a message: keys asked for where one call may need
// several.
void give_random_keys(Module& module, Diagnostics& diagnostics);

}  // namespace tsr::ir
