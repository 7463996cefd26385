// Spaces of bit vectors over GF(2): a vector is the bits of a number, adding is exclusive or.
#pragma once

#include <cstdint>
#include <vector>

namespace tsr::ir {

using Bits = uint64_t;

// What some vectors span.
class BitSpace {
public:
    // False: the vector was in it already.
    bool add(Bits vector);
    [[nodiscard]] bool contains(Bits vector) const { return reduce(vector) == 0; }
    // What is left of the vector without its part in the space: 0 for those inside.
    [[nodiscard]] Bits reduce(Bits vector) const;
    [[nodiscard]] int dimension() const { return static_cast<int>(basis_.size()); }

private:
    std::vector<Bits> basis_;  // each with a highest bit of its own, descending
};

// Solves sums of given vectors for their sum.
class BitSolver {
public:
    // The next vector; false: the vectors before it sum up to it, and no solution will name it.
    bool add(Bits vector);
    // Bit i is set where vector number i is a summand; sums of the vectors only.
    [[nodiscard]] bool solve(Bits sum, Bits& summands) const;
    [[nodiscard]] Bits free() const { return free_; }  // the vectors that no solution names

private:
    struct Row {
        Bits vector, summands;
    };
    std::vector<Row> rows_;  // each with a highest bit of its own, descending
    Bits free_ = 0;
    int count_ = 0;
};

// The number of independent vectors.
int rank(const std::vector<Bits>& vectors);
// A basis of what two lists both span.
std::vector<Bits> intersection(const std::vector<Bits>& a, const std::vector<Bits>& b);

}  // namespace tsr::ir
