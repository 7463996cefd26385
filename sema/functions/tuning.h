// Tuning spaces (language reference, section 4, "Tuning"): a kernel is checked once for each point of its space, in
// which every parameter is a static value. What a launch is checked against is the header, in which the parameters that
// are dimensions are still open.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// Of the header of a tuned kernel: the points of its space, the last parameter fastest. Empty after an error.
std::vector<TuningPoint> space_points(const Body& b);
void read_tuning(Body& b, const Request& request);
void bind_space(Body& b);

}  // namespace tsr::sema
