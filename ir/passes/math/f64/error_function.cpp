// erf of f64. With the nearest multiple c of 1/128, d = x - c and u = c d, erf(x) is erf(c) + erf'(c) d I, where I is
// the integral of exp(-2 u s - d^2 s^2) over s from 0 to 1: a series in u and d^2.
#include <bit>
#include <cmath>
#include <vector>

#include "ir/passes/math/exponential.h"
#include "ir/passes/math/functions.h"

namespace tsr::ir::math::f64 {

namespace {

constexpr double kSteps = 128;  // of a unit
constexpr double kEnd = 6;      // from here on erf is 1

// erf and its derivative at the multiples of 1/kSteps.
struct Tables {
    std::vector<int64_t> value, slope;
};

const Tables& tables() {
    static const Tables made = [] {
        Tables tables;
        const auto needed = static_cast<size_t>(kSteps * kEnd) + 1;
        for (size_t k = 0; k < std::bit_ceil(needed); ++k) {
            constexpr long double kTwoOverRootPi = 1.12837916709551257389615890312154517L;
            const long double c = static_cast<long double>(k) / kSteps;
            tables.value.push_back(std::bit_cast<int64_t>(static_cast<double>(std::erf(c))));
            tables.slope.push_back(std::bit_cast<int64_t>(static_cast<double>(kTwoOverRootPi * std::exp(-c * c))));
        }
        return tables;
    }();
    return made;
}

}  // namespace

Term erf(Term x) {
    Term size = abs(x);
    Term inside = select(size > kEnd, kEnd, size);  // NaN stays
    Rounded n = round_to_whole(fma(inside, kSteps, format_of(x).magic()));
    Term c = n.value * (1 / kSteps);
    Term d = inside - c;
    Term u = c * d;
    Term z = d * d;
    // The integrals of s^2k exp(-2 u s), the first without the 1 at its begin.
    Term first = fma(u, two_chains(u, std::array{2.0 / 3, -1.0 / 3, 2.0 / 15, -2.0 / 45}), -1.0) * u;
    Term second = one_chain(u, std::array{-1.0 / 3, 1.0 / 2, -2.0 / 5, 2.0 / 9});
    Term third = fma(z, -1.0 / 42, one_chain(u, std::array{1.0 / 10, -1.0 / 6}));
    Term integral = fma(z, fma(z, third, second), first);
    Term step = table(n.shifted, tables().slope) * d;
    return with_sign(fma(step, integral, step) + table(n.shifted, tables().value), x);
}

}  // namespace tsr::ir::math::f64
