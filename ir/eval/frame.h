// The bytes that a kernel's values stand in.
#pragma once

#include <map>
#include <vector>

#include "ir/eval/register_data.h"

namespace tsr::ir::eval {

// Hands out bytes of the frame; what is given back is used again for the same size.
class Frame {
public:
    Slot take(uint64_t bytes);
    // For what is filled once per launch: a place that nothing else ever had, as its user may run before, again and
    // again in a loop.
    Slot take_for_good(uint64_t bytes);
    void give_back(Slot slot, uint64_t bytes);
    [[nodiscard]] uint64_t bytes() const { return end_; }

private:
    uint64_t end_ = 64;  // slot 0 is nobody's
    std::map<uint64_t, std::vector<Slot>> free_;
};

}  // namespace tsr::ir::eval
