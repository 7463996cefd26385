// Value form to ring form: loads that feed products become copies, made some rounds ahead.
#pragma once

#include <string>
#include <vector>

#include "ir/core/function.h"
#include "ir/machine/gpu.h"

namespace tsr::ir {

// Of each loop of `staged_loops` with two stages or more:
//
//   if there is a round 0 { acquire 0; its copies; fill 0 } else { commit } … of round stages - 2
//   for … (…, %slot = 0, %next = stages - 1) {
//     take %slot {count = stages - 2}           the round's copies are there, and the round before has been read
//     if there is a round stages - 1 further on { acquire %next; its copies; fill %next } else { commit }
//     the round, whose products read the slot's buffers
//     release %slot
//   }
//
// The barrier of `take` is the only one of a round; the commits of nothing keep what it counts,
// and are left out where it counts none.
//
// The slots of loops whose loads are boxes are waited for by arrivals: there is a phase beside each slot's number, the
// ring is opened before and closed after, and there are no commits. Where products may stay under way
// (`pending_products`) a round is
//
//     take %slot
//     the round, which starts its products
//     wait_group {count = those of a round, products}
//     if there was a round before { release its slot }
//     if there is a round stages - 1 further on { acquire %next, the slot of the round before; its copies; fill %next }
//
// and behind the loop is a `wait_group` that gives the sums, and the release of the last round's slot.
//
// Where a product can be started a round ahead (`product_ahead`) and there are three stages or more, a slot is taken a
// round before its own: the first one before the loop, then
//
//     if there is a round stages - 1 further on { acquire %next; its copies; fill %next }
//     %started = if there is a round behind this one { take its slot; its product, pending }
//     the round, with the product that was started in the round before
//     wait_group {count = 0, products} %started
//     release %slot
//
// Answers what is done so, one line each, for people.
std::vector<std::string> stage(Function& kernel, const GpuMachine& machine);

}  // namespace tsr::ir
