// Value form to ring form: loads that feed products become copies, made some rounds ahead.
#pragma once

#include "ir/core/function.h"
#include "ir/passes/target/gpu/machine.h"

namespace tsr::ir {

// Of each loop of `staged_loops` with two stages or more:
//
//   acquire 0; copies of round 0; fill 0; … of round stages - 2
//   for … (…, %slot = 0, %next = stages - 1) {
//     take %slot {count = stages - 2}           the round's copies are there, and the round before has been read
//     acquire %next; copies of the round stages - 1 further on, if there is one; fill %next
//     the round, whose products read the slot's buffers
//     release %slot
//   }
//
// The barrier of `take` is the only one of a round.
void stage(Function& kernel, const GpuMachine& machine);

}  // namespace tsr::ir
