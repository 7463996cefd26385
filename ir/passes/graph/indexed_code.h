// Kernels of the operations that stand alone in a fused function: along one axis each element depends on others, or on
// those that an id names.
#pragma once

#include "ir/passes/graph/kernel_steps.h"

namespace tsr::ir {

// The operation of a fused function that stands alone; invalid where it has none.
OpId alone_in(const Function& fused);

StepCode indexed_code(const Function& fused, OpId op);

StepCode reduce_index_code(const Function& fused, OpId op);  // reduce_index_kernels.cpp
StepCode scan_code(const Function& fused, OpId op);          // scan_kernels.cpp
StepCode gather_code(const Function& fused, OpId op);        // gather_kernels.cpp
StepCode scatter_code(const Function& fused, OpId op);       // scatter_kernels.cpp
StepCode sort_code(const Function& fused, OpId op);          // sort_kernels.cpp

}  // namespace tsr::ir
