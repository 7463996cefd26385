// What a loop carries from round to round: every variable of the frame that its body assigns and that held a value
// before, and the flags that its body may lower. Those that turn out not to be needed are pruned afterwards.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "sema/elaborate/effects.h"

namespace tsr::elaborate {

class Carried {
public:
    // `kept`: what a loop that runs at least one round assigns first, to be read behind it.
    Carried(Body& b, const LoopEffects& effects, const LoopFlags& flags, const std::set<Slot>& kept);
    // Symbols that expressions in the range bind.
    void add_symbols(Span range);

    [[nodiscard]] const std::vector<ir::Type>& types() const { return types_; }
    std::vector<ir::ValueId> initial() { return leaves(); }
    // New arguments of the region, which the slots hold from now on.
    void enter(ir::RegionId region);
    void hold(const std::vector<ir::ValueId>& values);
    // What the slots hold now, in the carried types.
    std::vector<ir::ValueId> leaves();

private:
    void add(Slot slot, bool always);

    Body& b_;
    std::vector<Slot> slots_;
    std::vector<Val> shapes_;  // of the values, the same all the time
    std::vector<size_t> counts_;
    std::vector<ir::Type> types_;
};

}  // namespace tsr::elaborate
