// What differs from example to example where a function is batched.
#pragma once

#include <vector>

#include "ir/ops/handle.h"

namespace tsr::ir::autodiff {

class Varying {
public:
    Varying(const Function& fn, const std::vector<bool>& params);
    [[nodiscard]] bool has(ValueId value) const { return varies_[value.index]; }
    // Something in the regions of the operation, or an operand, differs.
    [[nodiscard]] bool touches(OpId op) const;
    // How often a loop runs, or which side of an `if`, differs.
    [[nodiscard]] bool steers(OpId op) const;

private:
    void region(RegionId id);
    void operation(OpId id);
    bool carry(ValueSpan from, ValueSpan to);
    void loop(OpId id, ValueSpan inits, ValueSpan carried, RegionId body);
    void all_results(OpId id);

    const Function& fn_;
    std::vector<bool> varies_;
};

// The values that the operation takes and that its regions take from outside, each once.
std::vector<ValueId> taken_values(const Function& fn, OpId op);

}  // namespace tsr::ir::autodiff
