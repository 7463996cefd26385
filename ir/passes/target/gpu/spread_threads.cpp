#include "ir/passes/target/gpu/spread_threads.h"

#include <utility>

#include "ir/passes/target/gpu/thread_code.h"

namespace tsr::ir {

Function spread_threads(const Function& kernel, const GpuMachine& machine) {
    ThreadCode code(kernel, machine);
    code.run();
    code.target.plan = kernel.plan;
    code.target.scratch_bytes = code.shared_bytes();
    return std::move(code.target);
}

}  // namespace tsr::ir
