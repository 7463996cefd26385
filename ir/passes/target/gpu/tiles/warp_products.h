// Which products of register tiles warps do.
#pragma once

#include <optional>

#include "ir/machine/fragments.h"
#include "ir/ops/register.h"

namespace tsr::ir {

// The machine's product for an `mma`; nothing where it has none. Floats of 8 bits that it does not multiply are
// operands of a product of f16, which holds them all.
std::optional<WarpProduct> product_of(const Function& kernel, const MmaOp& op, int capability);

}  // namespace tsr::ir
