// Bounds of the errors of what functions give, for people: `tesserac check --numerics`.
#pragma once

#include <string>

#include "base/sources.h"
#include "ir/core/function.h"

namespace tsr::ir {

// Of each result of a Graph function, and each tensor that a kernel writes, how far it may be from what its formula
// gives without rounding, to first order in the unit roundoffs (N. Higham, Accuracy and Stability of Numerical
// Algorithms, 2nd edition, chapter 3): |error| <= the sum of unit roundoffs times magnitudes of values. An operation
// without a bound is named with its line. Of functions behind `differentiate`, kernels as elaborated.
std::string explain_bounds(const Module& module, const Sources& sources);

}  // namespace tsr::ir
