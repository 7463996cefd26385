// `--deterministic`: what may give other bits in another run.
#pragma once

#include <optional>

#include "base/span.h"
#include "ir/core/function.h"

namespace tsr::driver {

// The first operation of a kernel whose result depends on the order in which groups or tiles come to it: an atomic on
// floats, or an atomic whose old value is used.
std::optional<Span> nondeterministic_place(const ir::Function& function);

}  // namespace tsr::driver
