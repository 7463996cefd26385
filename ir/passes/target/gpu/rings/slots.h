// What is known of the slots of rings at a place of the text.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "ir/ops/tile.h"

namespace tsr::ir {

inline constexpr int64_t kMostUnderWay = 64;  // products; that more have been started makes no difference

enum class SlotPhase : uint8_t { free, acquired, filled, taken };

// How far the copies into a slot are: what stands there may be read in the first state and the last.
enum class Data : uint8_t { none, issued, committed, arrived, visible };

struct Slot {
    SlotPhase phase = SlotPhase::free;
    Data data = Data::none;
    int64_t age = 0;       // committed: groups behind it
    bool read = false;     // since the last barrier
    int64_t products = 0;  // of the pending ones, started since the last that reads it, with that one; 0: none reads it
    bool again = false;    // by arrivals: the slot is in an odd use
    auto operator<=>(const Slot&) const = default;
};

// A step of a slot's use; what is wrong with it is said.
using SayWrong = std::function<void(const char*)>;
void advance(Slot& slot, RingStep step, const SayWrong& say);
// What it does to arrivals at the slot. A release is seen by the next acquire, a fill by the next take; neither by
// other threads in another way.
void arrive(Slot& slot, RingStep step, const SayWrong& say);

// Of all slots, by buffer and number; of a buffer of arrivals -1, there when its ring is open.
using State = std::map<std::pair<uint32_t, int64_t>, Slot>;
using States = std::set<State>;

}  // namespace tsr::ir
