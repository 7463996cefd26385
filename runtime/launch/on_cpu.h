// Launches on this machine's cores, one variant of a kernel at a time.
#pragma once

#include "runtime/device/cpu/messages.h"

namespace tsr::runtime {

// The first variant that the machine has and whose guards hold. NULL: there is none.
const TsrKernelVariant* find_variant(const TsrKernelFamily& family, const uint64_t* slots);
// The same; none fails.
const TsrKernelVariant& choose_variant(const TsrKernelFamily& family, const uint64_t* slots, const TsrPlace* place);
// Packs the operands that it wants packed, `packed` says when that was done, then runs [0, total), total > 0. What the
// kernel says is in `messages`.
void run_variant(const TsrKernelFamily& family, const TsrKernelVariant& variant, const uint64_t* slots, int64_t total,
                 uint64_t* result, Messages& messages, const TsrPlace* place, double* packed = nullptr);

}  // namespace tsr::runtime
