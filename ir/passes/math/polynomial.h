// Polynomials of terms.
#pragma once

#include <span>

#include "ir/passes/math/term.h"

namespace tsr::ir::math {

// c[0] + x c[1] + x^2 c[2] + …, by Horner's rule with one rounding a step.
Term one_chain(Term x, std::span<const double> coefficients);
// The same sum in two chains, of even and of odd powers: one multiplication more, but half the latency.
Term two_chains(Term x, std::span<const double> coefficients);
// In two chains, and the first coefficient, which counts more than all others, comes last and is rounded once.
Term first_at_last(Term x, std::span<const double> coefficients);

// Coefficients and the way to add them up.
struct Polynomial {
    std::span<const double> coefficients;
    Term (*sum)(Term x, std::span<const double> coefficients);

    Term operator()(Term x) const { return sum(x, coefficients); }
};

}  // namespace tsr::ir::math
