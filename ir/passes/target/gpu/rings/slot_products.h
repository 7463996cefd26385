// Products whose operands lie in slots of rings, as far as they may be under way beside other work.
#pragma once

#include <span>

#include "ir/ops/register.h"

namespace tsr::ir {

// A slot of one of the rings' buffers.
bool in_slot(const Function& kernel, std::span<const ValueId> buffers, ValueId value);

// Its sums stay in registers from its beginning to its end, and it is a plain one: those of narrow floats leave the
// product's registers in the middle of it.
bool keeps_sums(const Function& kernel, const MmaOp& op);

}  // namespace tsr::ir
