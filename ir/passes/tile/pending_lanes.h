// The lanes region that is being filled while a group program is formed.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/build/clone.h"

namespace tsr::ir {

// Memory that operations touch, by its root (parameter or buffer).
struct Touched {
    std::unordered_set<ValueId> read;
    std::unordered_set<ValueId> written;
    bool says = false;  // prints or asserts

    // True when doing `later` before this would be seen.
    [[nodiscard]] bool conflicts(const Touched& later) const;
};

// What the operation and all in it touch.
Touched touched_by(const Function& function, OpId op);

struct PendingLanes {
    RegionId region;
    ValueId tile;  // the region's argument
    Touched touched;
    ValueMap values;                               // old value → its value in this region
    std::vector<ValueId> defined;                  // old values defined at its top level, in order
    std::vector<ValueId> forced;                   // old values that must leave as lane arrays
    std::unordered_map<ValueId, size_t> consumed;  // uses of old values by operations in here
};

}  // namespace tsr::ir
