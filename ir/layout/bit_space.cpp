#include "ir/layout/bit_space.h"

#include <algorithm>
#include <bit>

namespace tsr::ir {

Bits BitSpace::reduce(Bits vector) const {
    for (Bits row : basis_) vector = std::min(vector, vector ^ row);
    return vector;
}

bool BitSpace::add(Bits vector) {
    vector = reduce(vector);
    if (vector == 0) return false;
    basis_.insert(std::ranges::upper_bound(basis_, vector, std::greater<>()), vector);
    return true;
}

bool BitSolver::solve(Bits sum, Bits& summands) const {
    summands = 0;
    for (const Row& row : rows_) {
        if ((sum ^ row.vector) >= sum) continue;
        sum ^= row.vector;
        summands ^= row.summands;
    }
    return sum == 0;
}

bool BitSolver::add(Bits vector) {
    Bits summands = Bits{1} << count_++;
    for (const Row& row : rows_) {
        if ((vector ^ row.vector) >= vector) continue;
        vector ^= row.vector;
        summands ^= row.summands;
    }
    if (vector == 0) {
        free_ |= Bits{1} << (count_ - 1);
        return false;
    }
    auto at = std::ranges::find_if(rows_, [&](const Row& row) { return row.vector < vector; });
    rows_.insert(at, {vector, summands});
    return true;
}

int rank(const std::vector<Bits>& vectors) {
    BitSpace space;
    for (Bits vector : vectors) space.add(vector);
    return space.dimension();
}

// Zassenhaus: where a sum of both lists' vectors vanishes, the part of the first list lies in both spaces.
std::vector<Bits> intersection(const std::vector<Bits>& a, const std::vector<Bits>& b) {
    BitSolver solver;
    for (Bits vector : a) solver.add(vector);
    BitSpace found;
    std::vector<Bits> out;
    const Bits of_a = (Bits{1} << a.size()) - 1;
    for (size_t i = 0; i < b.size(); ++i) {
        Bits summands = 0;
        if (!solver.solve(b[i], summands)) {
            solver.add(b[i]);
            continue;
        }
        solver.add(b[i]);  // keeps the numbering
        Bits vector = 0;
        for (size_t j = 0; j < a.size(); ++j) {
            if ((summands & of_a) >> j & 1) vector ^= a[j];
        }
        if (found.add(vector)) out.push_back(vector);
    }
    return out;
}

}  // namespace tsr::ir
