// Which products of register tiles warp groups do, and how many threads that takes.
#pragma once

#include <optional>

#include "ir/core/function.h"
#include "ir/machine/gpu.h"
#include "ir/ops/register.h"
#include "ir/passes/target/kernel_code.h"

namespace tsr::ir {

// wgmma: four warps multiply 64 rows by up to 256 columns, 32 bytes of k at once.
inline constexpr int64_t kGroupWarps = 4;
inline constexpr int64_t kGroupRows = 64;

// How the pieces of a shared buffer change places. `buffer`: what `buffer` gives.
Memory::Swizzle swizzle_of(const Function& kernel, ValueId buffer, const GpuMachine& machine);

// Where the first operand of a warp group's product is: there is no such product, or in registers, or in panels of
// shared memory.
enum class GroupOperand : uint8_t { none, registers, memory };

// Of an `mma` that so many warps share: `none` where no warp group does it. Its second operand is in shared memory.
GroupOperand group_operand(const Function& kernel, const MmaOp& op, int64_t warps, const GpuMachine& machine);

// The threads of a kernel whose products warp groups do, as far as their sizes go; nothing where there are none.
std::optional<int64_t> group_threads(const Function& kernel, const GpuMachine& machine);

// Whether warp groups would do a product if the elements of its second operand, of 8 bits, ran along the inner axis.
bool turned_would_suit(const Function& kernel, const GpuMachine& machine);

}  // namespace tsr::ir
