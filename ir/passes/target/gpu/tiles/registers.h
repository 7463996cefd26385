// Whether a kernel's register tiles find room in registers.
#pragma once

#include <optional>
#include <string>

#include "ir/core/function.h"
#include "ir/machine/gpu.h"

namespace tsr::ir {

// Of each of so many threads, for the register tiles that one loop carries: of the loop that carries most.
int64_t carried_registers(const Function& kernel, int64_t threads);

// Of each of so many threads, at the place of a loop where most computed tiles live. Tiles that the loop does not carry
// count twice: element operations have their operands and results beside each other, and addresses and coordinates.
int64_t crowded_registers(const Function& kernel, int64_t threads);

// Those that a thread has of a block of so many, beside which a warp may copy boxes.
int64_t registers_of_thread(int64_t threads, const GpuMachine& machine);

// Why a kernel in group form cannot keep what a loop carries in registers by this plan: a bound from below, so nothing
// is said of kernels that might. CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
std::optional<std::string> lacks_registers(const Function& kernel, const GpuPlan& plan);

}  // namespace tsr::ir
