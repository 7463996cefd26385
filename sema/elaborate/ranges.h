// The axes of a loop over ranges: where each begins, ends and steps, and which rounds that makes.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "sema/elaborate/body.h"

namespace tsr::elaborate {

struct Bounds {
    Val start, stop, step;
    sema::VariableId variable;
    std::function<void(const Val&)> bind;  // gives a round its number
    std::function<Val()> stop_now;         // where rounds may move it
};
std::vector<Bounds> bounds_of(Body& b, const sema::ForInfo& info);

// The value as far as it is static.
std::optional<int64_t> fixed(const Val& value);
bool all_fixed(const std::vector<Bounds>& axes);

// lower < upper for a step upward, > for one downward.
ir::ValueId goes_on(Body& b, ir::ValueId at, const Bounds& bounds);
// How many rounds there are.
Val round_count(Body& b, const std::vector<Bounds>& axes);

using Round = std::function<void()>;
// One step per round, which binds the variables to the round's static numbers.
std::vector<Round> static_rounds(Body& b, const std::vector<Bounds>& axes);
// Of a loop with fixed bounds; large numbers are cut off.
int64_t fixed_rounds(const std::vector<Bounds>& axes);
// Counts the rounds of a loop that is unrolled; false, with a message, when there are too many in the function.
bool may_unroll(Body& b, Span range, const std::vector<Bounds>& axes);
bool may_unroll(Body& b, Span range, int64_t rounds);

}  // namespace tsr::elaborate
