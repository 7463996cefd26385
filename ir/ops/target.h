// Handles of a machine's operations.
#pragma once

#include "ir/ops/handle.h"

namespace tsr::ir {

struct ForActiveOp : Handle<OpKind::for_active> {
    using Handle::Handle;
    [[nodiscard]] ValueId mask() const { return operand(0); }
    [[nodiscard]] RegionId body() const { return op().regions[0]; }
    [[nodiscard]] ValueId lane() const { return args(body())[0]; }
};

}  // namespace tsr::ir
