// The clock.
#pragma once

namespace tsr::runtime {

// Seconds, monotonic; launches go on.
double now();

}  // namespace tsr::runtime
