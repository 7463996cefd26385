// Reductions whose result type is chosen by what they stand in.
#pragma once

#include "sema/program/tables.h"

namespace tsr::sema {

// A reduction of the tiles of a group, of a shared buffer, or along an axis of a register tile, without `out=`: what it
// stands directly in chooses its type. A scan is none.
bool takes_declared_type(const CallInfo& call);

}  // namespace tsr::sema
