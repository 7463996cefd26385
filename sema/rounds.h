// Rounds of loops that are unrolled: their bounds, and what static expressions are in each round.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
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

// The values that expressions have together in the rounds that reach them, each combination once; where none does,
// those of a round that would. Without values it is said why: `fault` may be empty.
struct ValuesByRound {
    std::vector<std::vector<Static>> values;
    const ast::Expr* faulty = nullptr;  // which of the expressions has none
    std::string fault;                  // "division by zero in the round 0"
};
// `rounds`: Value::rounds of all of them.
ValuesByRound values_by_round(Body& b, uint64_t rounds, const std::vector<const ast::Expr*>& exprs);
// Whether an integer is known in each round and below 0 in none.
bool is_never_negative(Body& b, const ast::Expr& e, uint64_t rounds);

}  // namespace tsr::sema
