#include "ir/passes/target/gpu/dry_run.h"

#include <utility>

#include "ir/passes/target/gpu/rings/choose_producers.h"
#include "ir/passes/target/gpu/rings/stage.h"
#include "ir/passes/target/gpu/thread_code.h"
#include "ir/passes/target/gpu/tiles/widen_operands.h"

namespace tsr::ir {

DryRun dry_run(Function kernel, const GpuMachine& machine) {
    DryRun out;
    widen_operands(kernel, machine);
    out.reasons = stage(kernel, machine);
    out.producers = choose_producers(kernel, machine);
    kernel.plan->gpu().producers = out.producers;
    ThreadCode code(kernel, machine);
    code.run();
    out.shared_bytes = code.shared_bytes();
    out.thread = std::move(code.target);
    return out;
}

}  // namespace tsr::ir
