// Indices of 32 bits in the program of one thread.
#pragma once

#include "ir/core/function.h"
#include "ir/machine/gpu.h"
#include "ir/passes/target/index_range.h"

namespace tsr::ir {

// Tensors of fewer elements have addresses that `narrow_indices` computes rightly.
inline constexpr int64_t kMostNarrowElements = int64_t{1} << 30;

// Makes indices 32 bits wide, of a function of level Target for a GPU. Under the guard that dimensions, numbers of
// groups and their product are below IndexRanges::kLimit (what parts they have included) and the elements of each
// tensor below kMostNarrowElements, the program does the same: an index that can be shown to fit is computed in 32
// bits; of offsets of elements, which fit wherever they are used, the low 32 bits are.
void narrow_indices(Function& thread, const IndexRanges::Promises& guard);

// What that guard says of the slots of a kernel; `kernel`: of level Tile, from which the thread's program was made.
// Of groups that are divided the parts are counted.
IndexRanges::Promises narrow_guard(const Function& kernel, int64_t parts);

// Groups of so many parts each: there are fewer, so that blocks have numbers below IndexRanges::kLimit, also times what
// the kernel multiplies the number of its group by.
int64_t most_narrow_groups(const Function& kernel, int64_t parts);

// Whether it is worth it for a kernel of level Tile, and the guard can be asked. It is not for products of warps where
// TMA copies operands, by addresses of its own.
bool wants_narrow_indices(const Function& kernel, const GpuMachine& machine);

}  // namespace tsr::ir
