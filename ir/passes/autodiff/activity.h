// What a derivative passes through.
#pragma once

#include <vector>

#include "ir/core/function.h"

namespace tsr::ir::autodiff {

// The values of a function that are floats and depend on one of the parameters `wrt`. Integers, bools, and what only
// they decide are not: a derivative there is 0.
class Activity {
public:
    Activity(const Function& fn, const std::vector<int64_t>& wrt);
    [[nodiscard]] bool has(ValueId value) const { return active_[value.index]; }

private:
    std::vector<bool> active_;
};

}  // namespace tsr::ir::autodiff
