// Tools of the simplifier: regions in a function, values that stand for others, positions that are dropped.
#pragma once

#include <vector>

#include "ir/core/function.h"
#include "ir/ops/effects.h"
#include "ir/ops/handle.h"

namespace tsr::ir {

// The body and, of a kernel, the launch region.
inline std::vector<RegionId> roots(const Function& function) {
    if (!function.kernel.launch.valid()) return {function.body};
    return {function.body, function.kernel.launch};
}

// Every operation that stands somewhere, outer before inner, in the order of the text.
template <typename Visit>
void for_each_op(const Function& function, Visit&& visit) {
    for (RegionId root : roots(function)) for_each_op(function, root, visit);
}

// `replacement[v]` is the value that stands for v; chains are followed.
class Replacements {
public:
    explicit Replacements(Function& function) : function_(function), to_(function.value_count()) {}

    void add(ValueId from, ValueId to) {
        to_[from.index] = to;
        any_ = true;
        // The name that the programmer gave is kept where the other has none.
        if (function_.value(to).name.empty()) function_.value(to).name = function_.value(from).name;
    }
    [[nodiscard]] ValueId of(ValueId v) const {
        while (to_[v.index].valid()) v = to_[v.index];
        return v;
    }
    [[nodiscard]] bool any() const { return any_; }
    // In all operands, once.
    void apply() {
        if (any_) function_.replace_uses(to_);
    }

private:
    Function& function_;
    std::vector<ValueId> to_;
    bool any_ = false;
};

// Drops results of a `for`, `while`, `if` or `lanes`, with what is carried for them: initial values, arguments, yielded
// values. `drop[i]` speaks of result i. Nothing may use what is dropped.
void drop_positions(Function& function, OpId op, const std::vector<bool>& drop);

}  // namespace tsr::ir
