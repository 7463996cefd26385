// What a derivative passes through.
#pragma once

#include <vector>

#include "ir/ops/handle.h"

namespace tsr::ir::autodiff {

// The values of a function that are floats and depend on one of the parameters `wrt`. Integers, bools, and what only
// they decide are not: a derivative there is 0.
class Activity {
public:
    Activity(const Function& fn, const std::vector<int64_t>& wrt);
    [[nodiscard]] bool has(ValueId value) const { return value.index < active_.size() && active_[value.index]; }
    // Of a value that stands for another.
    void take_over(ValueId value, ValueId other) { set(value, has(other)); }

private:
    void set(ValueId value, bool active);
    void region(RegionId id);
    void operation(OpId id);
    // Carried values: to a fixed point. True: one more moves.
    bool carry(ValueSpan from, ValueSpan to);

    const Function& fn_;
    std::vector<bool> active_;
};

}  // namespace tsr::ir::autodiff
