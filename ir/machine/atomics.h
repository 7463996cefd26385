// What atomics combine several neighbouring elements at once, each by itself.
#pragma once

#include <cstdint>

#include "base/dtype.h"
#include "ir/core/attribute.h"
#include "ir/core/type.h"

namespace tsr::ir {

// An instruction of the machine adds words of such elements. Its minimum and maximum pass over NaN, which those of the
// language pass on.
bool adds_packed(DType type, AtomicOp op, int32_t capability);

// The most elements, a power of two, that one such operation combines where they begin at a multiple of their size: by
// an instruction, or two of 16 bits in a word that is compared and exchanged.
int64_t packed_elements(DType type, AtomicOp op, Space space, int32_t capability);

}  // namespace tsr::ir
