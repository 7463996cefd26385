// Which values differ between lanes, and how long each value is needed: what the slots of a frame follow from.
#pragma once

#include <vector>

#include "ir/core/function.h"

namespace tsr::ir::eval {

struct Analysis {
    std::vector<bool> varying;      // per value: an array over lanes; else one for all
    std::vector<bool> needs_array;  // per value: uniform, but an operand of a loop over lanes
    std::vector<bool> divergent;    // per op: a loop or branch whose condition varies
    // Per value: the operation of the value's own region that uses it last, itself or in its regions; invalid: none.
    std::vector<OpId> last_use;
};

Analysis analyze(const Function& kernel);

}  // namespace tsr::ir::eval
