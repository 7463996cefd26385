// Which threads of a block start the TMA tensor copies that fill its pipelines.
#pragma once

#include <cstdint>
#include <string>

#include "ir/core/function.h"
#include "ir/machine/gpu.h"

namespace tsr::ir {

// Registers of a thread that copies, and of one that multiplies, where they share them (`shares_registers`): together
// no more than the block got, 168 for each of its 384 threads. A warp group that asks for more waits for ever (PTX ISA,
// setmaxnreg).
inline constexpr int64_t kCopyRegisters = 56, kProductRegisters = 224;
static_assert(kCopyRegisters + 2 * kProductRegisters <= 3 * 168);

// How many threads more a block has that run nothing but these copies: a warp, beside warp groups that multiply a warp
// group; 0 where no threads are left, or what is copied depends on what the others do. `staged`: a kernel with its
// pipelines (`stage`) and a plan.
int64_t choose_producers(const Function& staged, const GpuMachine& machine);

// Whether the threads that copy leave registers to the others. Of 384 threads each gets 168 when the block starts,
// which two warp groups that multiply have too few of; who copies keeps a coordinate for each panel of a round.
bool shares_registers(const GpuPlan& plan);

// What the producers do, and with what, for people.
std::string about_producers(const GpuPlan& plan);

}  // namespace tsr::ir
