// Values that a launch can compute before the kernel runs: from dimensions, scalar parameters and constants.
#pragma once

#include "ir/build/clone.h"

namespace tsr::ir {

// Made of dimensions, scalar arguments and static values by element operations alone.
bool known_at_launch(const Function& kernel, ValueId value);

// Copies of such values in a kernel's launch region.
class LaunchSlice {
public:
    explicit LaunchSlice(Function& kernel);

    // Of what else the region computes.
    Builder& builder() { return builder_; }
    // The copy of a value, as an index.
    ValueId index(ValueId value);
    ValueId dimension(const Dim& dim) { return builder_.value(OpKind::dim, {}, {{Attr::dim, dim}}); }
    // The number of rounds of a loop, 0 when there are none. The step may have either sign.
    ValueId rounds(ValueId lower, ValueId upper, ValueId step);
    // Ends the region and makes it the kernel's.
    void yield(std::vector<ValueId> counts);

private:
    Function& kernel_;
    RegionId region_;
    Builder builder_;
    ValueMap copies_;
};

}  // namespace tsr::ir
