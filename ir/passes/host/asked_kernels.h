// `on_gpu(x)` of the program, as a question about the kernels that are launched where it holds.
#pragma once

#include "ir/core/function.h"

namespace tsr::ir {

// An operation `host {callee = "on_gpu"}` that says no kernel (`text`) and is the condition of an `if`, or a part of
// it: it then holds where a GPU runs the kernels that the `if` launches with tensors from outside of it. Kernels
// launched there alone have code for GPUs alone.
void ask_for_kernels(Function& host);

}  // namespace tsr::ir
