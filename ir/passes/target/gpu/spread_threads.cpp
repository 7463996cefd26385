#include "ir/passes/target/gpu/spread_threads.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/passes/target/gpu/thread_code.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

std::optional<NoGpuCode> without_gpu_code(const Function& kernel, const GpuMachine& machine) {
    const KernelInfo& info = kernel.kernel;
    if (!info.flat && !info.elements && info.group_size() > kMostThreads) {
        return NoGpuCode{
            {}, fmt::format("groups of {} tiles: a block has at most {} threads", info.group_size(), kMostThreads)};
    }
    std::optional<NoGpuCode> none;
    int64_t bytes = 0;
    walk(kernel, kernel.body, [&](OpId id) {
        const Op& op = kernel.op(id);
        if (none) return;
        auto of_tiles = [&](ValueId v) { return kernel.type(v).kind == TypeKind::tile; };
        if (std::ranges::any_of(op.operands, of_tiles) || std::ranges::any_of(op.results, of_tiles)) {
            none = NoGpuCode{id, "register tiles"};
        }
        if (op.kind != OpKind::buffer) return;
        int64_t elements = op.attrs.integer(Attr::count, 1);
        for (const Dim& dim : kernel.type(op.results[0]).shape) elements *= dim.constant_value().value_or(0);
        bytes += elements * ((bits(kernel.type(op.results[0]).elem) + 7) / 8);
        if (bytes > machine.shared_bytes) {
            none = NoGpuCode{id, fmt::format("shared buffers of {} bytes or more: a block has at most {}", bytes,
                                             machine.shared_bytes)};
        }
    });
    return none;
}

Function spread_threads(const Function& kernel, const GpuMachine& machine) {
    ThreadCode code(kernel, machine);
    code.run();
    code.target.plan = kernel.plan;
    code.target.plan->scratch = code.shared_bytes();
    return std::move(code.target);
}

}  // namespace tsr::ir
