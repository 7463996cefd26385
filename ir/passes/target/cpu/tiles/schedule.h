// Which register tiles get a home in memory, and which loops compute them.
//
// A tile is computed where it is needed, element by element, unless it has a home: what a product, a scan, a loop or
// another nest of loops wants whole. Loops run over the rows of a tile (its leading axes), and in each row over phases:
// what a row's sum is needed for stands in a later phase than the sum, so that a row stays in the first cache from its
// first phase to its last.
#pragma once

#include <span>
#include <unordered_set>
#include <vector>

#include "ir/passes/target/cpu/tiles/uses.h"

namespace tsr::ir {

// Something that a nest of loops does for its own sake; everything else is computed on the way to it.
struct Root {
    enum class Kind : uint8_t {
        store,   // store_tile
        keep,    // the value is put into its home
        reduce,  // along the last axis: one scalar per row
        fold,    // a reduction along another axis, into its home
    };
    Kind kind;
    OpId op;
    ValueId value;         // store: what is stored; else the result
    bool per_row = false;  // the value has one element per row
};

struct Phase {
    int64_t columns = 1;
    std::vector<Root> roots;
};

struct Nest {
    std::vector<int64_t> rows;  // extents of the leading axes
    std::vector<Phase> phases;
};

// A step is a nest, or an operation that has loops of its own (mma, scan, atomic_tile, transpose).
struct Step {
    Nest nest;
    OpId alone;
};

struct Schedule {
    std::vector<Step> steps;
    std::unordered_set<ValueId> homes;      // tiles and sums that need one
    std::unordered_set<ValueId> row_homes;  // of these: one row is enough, it is used up before the next
};

// `held` have a home without a step that makes them. `run` are consecutive operations on register tiles, without
// regions, in program order; what they use from elsewhere has a home.
Schedule schedule(const Function& kernel, const Uses& uses, std::span<const OpId> run,
                  const std::unordered_set<ValueId>& held = {});

}  // namespace tsr::ir
