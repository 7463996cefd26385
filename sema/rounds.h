// Rounds of loops that are unrolled: their bounds, and what static expressions are in each round.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sema/tables.h"

namespace tsr::sema {

class Body;

// A bound of a loop, which was checked before; `otherwise` where none is written. Nothing where it is not static.
std::optional<int64_t> static_bound(const Body& b, const Bound& bound, int64_t otherwise);

// The rounds of a range whose bounds are static.
struct StaticRange {
    int64_t start, stop, step;  // the step is not 0

    [[nodiscard]] int64_t length() const;
};
// Nothing where a bound is not static or the step is 0.
std::optional<StaticRange> static_range(const Body& b, const LoopAxis& axis);

// The values that expressions have together in the rounds of the loops around (`rounds`: Value::rounds of all of them),
// each combination once; of loops without rounds those of a first one. Nothing where there are too many rounds, or
// where the value of one is not known.
std::optional<std::vector<std::vector<Static>>> values_by_round(Body& b, uint64_t rounds,
                                                                const std::vector<const ast::Expr*>& exprs);

}  // namespace tsr::sema
