// Control flow that both derivatives write anew.
#pragma once

#include <optional>
#include <vector>

#include "ir/build/builder.h"
#include "ir/build/clone.h"
#include "ir/passes/autodiff/activity.h"

namespace tsr::ir::autodiff {

struct CopiedRegion {
    std::vector<OpId> ops;
    Values yields;
};

// The operations of a region again, at the end of the region where the builder stands; `values` says what its arguments
// are. What is computed again has the same bits.
CopiedRegion copied(Builder& at, RegionId region, ValueMap values, Activity& active);

// The values that the regions of an operation use and that stand outside of them, each once; only those that
// derivatives pass through.
Values outside_values(const Function& fn, OpId op, const Activity& active);

// Values of one shape, one for each round of a loop: [rounds, …].
class Stack {
public:
    Stack(Builder& at, const Type& of, const Dim& rounds);
    // Of a stack that is there already: to read it.
    explicit Stack(const Type& of);
    [[nodiscard]] ValueId empty() const { return empty_; }
    // The stack with the value at a round.
    ValueId put(Builder& at, ValueId stack, ValueId round, ValueId value) const;
    ValueId get(Builder& at, ValueId stack, ValueId round) const;

private:
    [[nodiscard]] Values starts(Builder& at, ValueId round) const;

    Type of_;
    DType held_;  // an `index` is held as i64
    ValueId empty_;
};

}  // namespace tsr::ir::autodiff
