// What a kernel computes, as operations of graphs: derivatives of launches are those of it.
#pragma once

#include <optional>

#include "base/diagnostics.h"
#include "ir/core/function.h"

namespace tsr::ir::autodiff {

// A Graph function that takes what the kernel takes and gives what the kernel leaves in the tensors that it writes, in
// the order of its parameters. Of kernels of single elements and of register tiles; what else a kernel does has no
// derivative: nothing after a message.
std::optional<Function> kernel_as_graph(const Function& kernel, Diagnostics& said);

}  // namespace tsr::ir::autodiff
