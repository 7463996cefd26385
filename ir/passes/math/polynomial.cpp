#include "ir/passes/math/polynomial.h"

#include <vector>

namespace tsr::ir::math {

Term one_chain(Term x, std::span<const double> coefficients) {
    Term sum = x.real(coefficients.back());
    for (size_t i = coefficients.size() - 1; i-- > 0;) sum = fma(sum, x, coefficients[i]);
    return sum;
}

Term two_chains(Term x, std::span<const double> coefficients) {
    std::vector<double> even;
    std::vector<double> odd;
    for (size_t i = 0; i < coefficients.size(); ++i) (i % 2 == 0 ? even : odd).push_back(coefficients[i]);
    Term square = x * x;
    return fma(one_chain(square, odd), x, one_chain(square, even));
}

Term first_at_last(Term x, std::span<const double> coefficients) {
    return fma(two_chains(x, coefficients.subspan(1)), x, coefficients[0]);
}

}  // namespace tsr::ir::math
