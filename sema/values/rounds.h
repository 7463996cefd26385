// Rounds of loops that are unrolled: their bounds, and what static expressions are in each round.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sema/state/body.h"

namespace tsr::sema {

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

// The bit that stands for the loop in Value::rounds; 0: there are too many loops.
uint64_t add_round_loop(Body& b, ForInfo& info);
// The loops of these bits are unrolled.
void unroll(Body& b, uint64_t rounds);
// Where they have `most` rounds together; false where they have more.
bool unroll_short_loops(Body& b, uint64_t rounds, int64_t most);
// Ends the loops behind the first ones: what was assigned in them does not depend on a round any more.
void end_round_loops(Body& b, size_t first);
// The loops on whose rounds a variable depends where it is read, also those of a body around this one.
uint64_t rounds_of_variable(Body& b, const Slot& slot);
// Whether unrolling makes it static: the host calls nested functions, which know only when they run what they
// captured.
bool unrolling_fixes(const Body& b, uint64_t rounds);

// Where `unrolling_fixes` does not hold.
inline constexpr const char* kCapturedNote =
    "a function inside of another one is given what it captures when the program runs";

}  // namespace tsr::sema
