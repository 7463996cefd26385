// Tiles that are done one after the other by scalar code instead of in the lanes of vectors: a plan of one lane.
#pragma once

#include "ir/core/function.h"

namespace tsr::ir {

// True where the kernel's tiles have nothing in common that needs a vector: no collectives, no register tiles, no
// storage by tile.
bool can_do_single_lanes(const Function& kernel);

// True where that is faster, too: see the cpp.
bool prefers_single_lanes(const Function& kernel);

}  // namespace tsr::ir
